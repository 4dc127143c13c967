// Events are kept for an hour after they last happened, as in Kubernetes. They are looked through
// now and then; the clock is the only thing that makes them old.

import { decodeDocument } from "../../kernel/document.ts";
import { limits } from "../../kernel/limits.ts";
import type { Json } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Delete } from "../../store/port.ts";
import type { Intents } from "../request.ts";

export async function removeOldEvents({ store, clock }: Intents): Promise<number> {
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
      }));
    if (writes.length > 0) {
      // What was changed meanwhile is refused, and is not old then.
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
