// Keeps status.hard and status.used of quotas up to date, at most a second late, and lets go of
// the places of older objects that were deleted. Every process does this; a loser of a race looks
// again and finds nothing left to do.

import { equalJson } from "../../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, valueAt } from "../../../kernel/json-read.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Change } from "../../../store/port.ts";
import { systemOptions } from "../../bootstrap.ts";
import { withField } from "../../builtin/parts.ts";
import { keyedWorker } from "../../housekeeping/keyed-worker.ts";
import type { Intents } from "../../request.ts";
import type { ChangeFeed } from "../../watch/change-feed.ts";
import { commitPut, isLostRace } from "../../write/commit.ts";
import { trackUpdate } from "../../write/managed-fields.ts";
import { draftFor, readStored } from "../../write/stored.ts";
import { withoutRevision } from "../../write/update.ts";
import { quotaOf, quotasKind } from "./quota.ts";
import type { QuotaIndex } from "./quota-index.ts";
import { usageOf } from "./usage.ts";

export interface QuotaStatusInput {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly index: QuotaIndex;
  readonly timers: Timers;
  readonly onError: (error: unknown, quota: string) => void;
}

const pauseMs = 250;
const retryMs = 100;

export function followQuotaUsage(input: QuotaStatusInput): AsyncDisposable {
  const { intents, feed, index, timers, onError } = input;
  const worker = keyedWorker({
    timers,
    onError,
    work: async (key) => {
      const [namespace = "", name = ""] = key.split("/");
      return await refresh(intents, namespace, name);
    },
  });
  const waiting = new Map<string, () => void>();
  // Many objects come and go at once; the status is written once for all of them.
  const later = (namespace: string): void => {
    if (waiting.has(namespace)) return;
    const cancel = timers.after(pauseMs, () => {
      waiting.delete(namespace);
      for (const { name } of index.of(namespace)) worker.add(`${namespace}/${name}`);
    });
    waiting.set(namespace, cancel);
  };
  const stop = feed.subscribe((changes) => {
    for (const change of changes) if (matters(change, index)) later(change.key.namespace);
  });
  for (const { namespace } of index.all()) later(namespace);
  return {
    [Symbol.asyncDispose]: async () => {
      stop();
      for (const cancel of waiting.values()) cancel();
      await worker[Symbol.asyncDispose]();
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
    : trackUpdate(intents, target, systemOptions, before, withField(before, "status", status));
  try {
    const draft = await draftFor(served, next);
    const when = { kind: "revision", revision: record.revision } as const;
    await commitPut(intents, { target, uid: record.uid, draft, when, uses: usage.uses });
    return undefined;
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return retryMs;
  }
}
