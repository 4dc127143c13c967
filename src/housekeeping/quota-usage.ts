// Keeps status.hard and status.used of quotas up to date, at most a second late, and releases the
// places of older objects that were deleted. A task of the leader, because every change in a
// namespace may change the usage of its quotas.

import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import { systemCause as cause } from "../kernel/cause.ts";
import { equalJson } from "../kernel/json.ts";
import type { Json, MutableJsonObject } from "../kernel/json.ts";
import { atOnce } from "../kernel/sliced.ts";
import { objectAt, valueAt } from "../kernel/json-read.ts";
import type { Timers } from "../kernel/timers.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import type { Change, ClaimRef } from "../store/port.ts";
import { systemOptions } from "../intents/bootstrap.ts";
import { withField } from "../intents/builtin/parts.ts";
import { keyedWorker } from "../intents/housekeeping/keyed-worker.ts";
import type { Intents } from "../intents/request.ts";
import type { ChangeFeed } from "../intents/watch/change-feed.ts";
import { commitPut, isLostRace } from "../intents/write/commit.ts";
import { trackUpdate } from "../intents/write/managed-fields.ts";
import { draftFor, readStored } from "../intents/write/stored.ts";
import { withoutRevision } from "../intents/write/update.ts";
import { quotaOf, quotasKind } from "../intents/admission/quota/quota.ts";
import type { QuotaIndex } from "../intents/admission/quota/quota-index.ts";
import { usageOf } from "../intents/admission/quota/usage.ts";

export interface QuotaUsageInput {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly index: QuotaIndex;
  readonly timers: Timers;
  readonly onError: (error: unknown, quota: string) => void;
}

const pauseMs = 250;
const retryMs = 100;

export function quotaUsage(input: QuotaUsageInput): LeaderTask {
  const { intents, feed, index, timers, onError } = input;
  return {
    name: "quota usage",
    lead: async (claim, signal) => {
      await using worker = keyedWorker({
        timers,
        onError,
        work: async (key) => {
          const [namespace = "", name = ""] = key.split("/");
          return await refresh(intents, namespace, name, claim);
        },
      });
      const waiting = new Map<string, () => void>();
      // Many objects are created and deleted at once; one write of the status counts all of them.
      const later = (namespace: string): void => {
        if (waiting.has(namespace)) return;
        const cancel = timers.after(pauseMs, () => {
          waiting.delete(namespace);
          for (const { name } of index.of(namespace)) worker.add(`${namespace}/${name}`);
        });
        waiting.set(namespace, cancel);
      };
      const unsubscribe = feed.subscribe((changes) => {
        for (const change of changes) if (matters(change, index)) later(change.key.namespace);
      });
      for (const { namespace } of index.all()) later(namespace);
      await untilAborted(signal);
      unsubscribe();
      for (const cancel of waiting.values()) cancel();
    },
  };
}

function matters({ key, type }: Change, index: QuotaIndex): boolean {
  if (key.kind === quotasKind) return type !== "deleted";
  return type !== "updated" && key.namespace !== "" && index.of(key.namespace).length > 0;
}

/** Milliseconds until it should be tried again; undefined when the status is right. */
async function refresh(
  intents: Intents,
  namespace: string,
  name: string,
  claim: ClaimRef,
): Promise<number | undefined> {
  const found = intents.kinds.find("", "v1", quotasKind);
  const record = await intents.store.get({ kind: quotasKind, namespace, name });
  if (record === undefined || found === undefined) return undefined;
  const { served, version } = found;
  const old = await readStored(served, version, record);
  const usage = await usageOf(quotaOf(old), intents);
  if (usage === undefined) return retryMs;
  const hard = objectAt(old, "spec", "hard");
  const used: MutableJsonObject = {};
  for (const resource of Object.keys(hard)) used[resource] = String(usage.used.get(resource) ?? 0);
  const status: Json = { hard, used };
  const isSame = equalJson(valueAt(old, "status"), status);
  if (isSame && !usage.isChanged) return undefined;
  const target = { served, version, namespace, name, subresource: "status" };
  const before = withoutRevision(old);
  const next = isSame
    ? before
    : atOnce(
        trackUpdate(intents, target, systemOptions, before, withField(before, "status", status)),
      );
  try {
    const draft = await draftFor(served, next);
    const when = { kind: "revision", revision: record.revision } as const;
    const { uid } = record;
    await commitPut(intents, { target, uid, draft, when, cause, uses: usage.uses, claim });
    return undefined;
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return retryMs;
  }
}
