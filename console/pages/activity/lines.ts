// The entries of the timeline as lines: repeats are one line, and time without entries is folded.

import type { TimelineEntry } from "../../api/insight.ts";

export interface EntryLine {
  readonly kind: "entry";
  /** The newest of those that repeat. */
  readonly entry: TimelineEntry;
  readonly count: number;
}

export interface IdleLine {
  readonly kind: "idle";
  readonly fromMs: number;
  readonly toMs: number;
}

export type Line = EntryLine | IdleLine;

export const idleMs = 10 * 60_000;

/** `entries` are the newest first. */
export function linesOf(entries: readonly TimelineEntry[]): readonly Line[] {
  const lines: Line[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last?.kind === "entry" && isRepeat(last.entry, entry)) {
      lines[lines.length - 1] = { ...last, count: last.count + 1 };
      continue;
    }
    const timeMs = Date.parse(entry.time);
    const laterMs = last?.kind === "entry" ? Date.parse(last.entry.time) : timeMs;
    if (laterMs - timeMs >= idleMs) lines.push({ kind: "idle", fromMs: timeMs, toMs: laterMs });
    lines.push({ kind: "entry", entry, count: 1 });
  }
  return lines;
}

function isRepeat(newer: TimelineEntry, older: TimelineEntry): boolean {
  return identityOf(newer) === identityOf(older);
}

/** Each trace is a request of a client, or what the engine did because of it. */
function identityOf(entry: TimelineEntry): string {
  const { type, outcome, kind, namespace, name, reason, message, cause } = entry;
  return JSON.stringify([
    type,
    outcome,
    kind,
    namespace,
    name,
    reason,
    message,
    cause?.actor,
    cause?.traceId,
  ]);
}
