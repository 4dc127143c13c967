// Events are kept for an hour after they last happened, as in Kubernetes. A task of the leader
// looks through all of them at intervals, because only the clock makes an Event old.

import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import { decodeDocument } from "../kernel/document.ts";
import { limits } from "../kernel/limits.ts";
import type { Json } from "../kernel/json.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import { systemCause } from "../kernel/cause.ts";
import type { Intents } from "../intents/request.ts";
import { every } from "../kernel/timers.ts";
import type { Timers } from "../kernel/timers.ts";
import type { ClaimRef, Delete } from "../store/port.ts";

const sweepMs = 300_000;

export interface EventExpiryInput {
  readonly intents: Intents;
  readonly timers: Timers;
}

export function eventExpiry({ intents, timers }: EventExpiryInput): LeaderTask {
  return {
    name: "event expiry",
    lead: async (claim, signal) => {
      await every(
        timers,
        sweepMs,
        async () => void (await removeOldEvents(intents, claim)),
        signal,
      );
    },
  };
}

async function removeOldEvents({ store, clock }: Intents, claim: ClaimRef): Promise<number> {
  let removed = 0;
  let page = await store.list({ kind: "events", limit: limits.defaultPageItems });
  for (;;) {
    const oldest = clock.nowMs() - limits.eventTtlMs;
    const writes = page.records
      .filter(({ body, revision }) => lastSeenMs(decodeDocument(body, revision)) < oldest)
      .map(({ key, revision }): Delete => ({
        kind: "delete",
        key,
        when: { kind: "revision", revision },
        cause: systemCause,
        claim,
      }));
    if (writes.length > 0) {
      // An Event that was changed meanwhile is refused: it is not old any more.
      const answers = await store.commit(writes);
      removed += answers.filter(({ kind }) => kind === "committed").length;
    }
    if (page.next === undefined) return removed;
    page = await store.list({ kind: "events", limit: limits.defaultPageItems, from: page.next });
  }
}

function lastSeenMs(event: Resource): number {
  const { lastTimestamp, eventTime, series, metadata } = event;
  const lastObserved = isJsonObject(series) ? series["lastObservedTime"] : undefined;
  const times = [metadata.creationTimestamp, lastTimestamp, eventTime, lastObserved].map(timeOf);
  return Math.max(...times);
}

function timeOf(value: Json | undefined): number {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}
