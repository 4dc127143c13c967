// Events with the same reason and message as one line.

import type { EventDocument } from "../../api/kube.ts";

export interface GroupedEvent {
  readonly key: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly source: string;
}

/** Newest first. */
export function groupEvents(events: readonly EventDocument[]): readonly GroupedEvent[] {
  const groups = new Map<string, GroupedEvent>();
  for (const event of events) {
    const { type = "Normal", reason = "", reportingComponent: source = "" } = event;
    const message = event.message ?? event.note ?? "";
    const key = JSON.stringify([type, reason, message]);
    const before = groups.get(key);
    const [firstMs, lastMs] = timesOf(event);
    const count = event.series?.count ?? event.count ?? event.deprecatedCount ?? 1;
    groups.set(key, {
      key,
      isWarning: type === "Warning",
      reason,
      message,
      source,
      count: (before?.count ?? 0) + count,
      firstMs: Math.min(before?.firstMs ?? firstMs, firstMs),
      lastMs: Math.max(before?.lastMs ?? lastMs, lastMs),
    });
  }
  return [...groups.values()].sort((one, other) => other.lastMs - one.lastMs);
}

function timesOf({ firstTimestamp, lastTimestamp, eventTime, series, metadata }: EventDocument) {
  const created = metadata.creationTimestamp ?? "";
  const first = Date.parse(firstTimestamp ?? eventTime ?? created);
  const last = Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? created);
  return [first, Number.isNaN(last) ? first : last] as const;
}
