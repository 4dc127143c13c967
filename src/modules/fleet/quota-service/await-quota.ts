// A creation over REST waits a short time for the answer of the quota service, so that a customer
// without quota gets a refusal and not an instance that fails. The reservation itself is a step of
// the instance, so nothing depends on the process that waits.

import { systemCaller } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Store } from "../../../store/port.ts";
import type { ChangeSignals } from "../api/change-signals.ts";
import { fleetLimits } from "../limits.ts";
import { quotaError } from "./choose-type.ts";
import type { QuotaRefusal } from "./protocol.ts";

export interface AwaitQuotaPorts {
  readonly store: Pick<Store, "get">;
  readonly signals: Pick<ChangeSignals, "follow">;
  readonly timers: Timers;
  /** For the removal of an instance that was refused. */
  readonly ownIntents: Intents;
}

export interface AwaitedInstance {
  /** Without a name where the document has it. */
  readonly target: Target;
  readonly instance: Resource;
  readonly signal: AbortSignal;
}

/**
 * Resolves when the quota is reserved, or is not decided in time. Throws fleet.quota_exceeded or
 * fleet.quota_insufficient when it is refused; the instance is then being removed.
 */
export async function awaitQuota(ports: AwaitQuotaPorts, input: AwaitedInstance): Promise<void> {
  const refusal = await decision(ports, input);
  if (refusal === undefined) return;
  const { metadata } = input.instance;
  try {
    await deleteResource(ports.ownIntents, {
      caller: systemCaller,
      target: { ...input.target, name: metadata.name },
      options: {
        isDryRun: false,
        propagation: undefined,
        preconditions: { uid: metadata.uid },
        raw: {},
      },
    });
  } catch (error) {
    // Another client was faster.
    const isRemoved = isSetpointError(error, "resource.not_found");
    if (!isRemoved && !isSetpointError(error, "resource.conflict")) throw error;
  }
  throw quotaError(refusal);
}

async function decision(
  { store, signals, timers }: AwaitQuotaPorts,
  { target, instance, signal }: AwaitedInstance,
): Promise<QuotaRefusal | undefined> {
  const { namespace, served } = target;
  const { name, uid } = instance.metadata;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let changed = Promise.withResolvers<void>();
  const unfollow = signals.follow(served.id, namespace, () => changed.resolve());
  const late = timers.sleep(fleetLimits.quotaAnswerMs, either).then(
    () => "late" as const,
    () => "late" as const,
  );
  try {
    for (;;) {
      const record = await store.get({ kind: served.id, namespace, name });
      if (record === undefined || record.uid !== uid) return undefined;
      const { status } = decodeDocument(record.body, record.revision);
      const state = textAt(status, "quota", "state");
      if (state === "refused") return refusalIn(status);
      if (state !== "") return undefined;
      const next = await Promise.race([changed.promise, late]);
      if (next === "late") return undefined;
      changed = Promise.withResolvers();
    }
  } finally {
    unfollow();
    stop.abort();
  }
}

function refusalIn(status: Resource["status"]): QuotaRefusal {
  const code = textAt(status, "quota", "code") === "exceeded" ? "exceeded" : "insufficient";
  return { kind: "refused", code, message: textAt(status, "quota", "message") };
}
