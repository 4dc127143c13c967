// Whether sync windows let a sync start now. Pure.

import { timeText } from "../../../kernel/clock.ts";
import type { SyncWindow } from "./effective-policy.ts";
import { lastBegin, nextBegin, parseSchedule } from "./schedule.ts";

export interface ClosedWindow {
  readonly message: string;
  /** Whether a SyncRun waits as well. */
  readonly holdsSyncRuns: boolean;
  readonly untilMs: number | undefined;
}

/**
 * Each list is that of the deployment or of one policy, and every list has to let syncs start. An
 * open window of the kind deny wins; with windows of the kind allow, one of them has to be open.
 */
export function closedWindow(
  lists: readonly (readonly SyncWindow[])[],
  nowMs: number,
): ClosedWindow | undefined {
  const closed = lists.flatMap((windows) => closedBy(windows, nowMs) ?? []);
  // One that SyncRuns do not pass counts first.
  return closed.find(({ holdsSyncRuns }) => holdsSyncRuns) ?? closed[0];
}

function closedBy(windows: readonly SyncWindow[], nowMs: number): ClosedWindow | undefined {
  const denied = windows
    .filter(({ kind }) => kind === "deny")
    .flatMap((window) => {
      const endMs = openUntil(window, nowMs);
      return endMs === undefined ? [] : [{ window, endMs }];
    });
  const [first] = denied;
  if (first !== undefined) {
    const untilMs = Math.max(...denied.map(({ endMs }) => endMs));
    const holdsSyncRuns = denied.some(({ window }) => !window.manualSync);
    const message = `no sync starts before ${timeText(untilMs)}: ${textOf(first.window)} is open`;
    return { message, holdsSyncRuns, untilMs };
  }
  const allowed = windows.filter(({ kind }) => kind === "allow");
  const [only] = allowed;
  if (only === undefined || allowed.some((window) => openUntil(window, nowMs) !== undefined)) {
    return undefined;
  }
  const begins = allowed.flatMap((window) => beginAfter(window, nowMs) ?? []);
  const untilMs = begins.length === 0 ? undefined : Math.min(...begins);
  const when = untilMs === undefined ? "any more" : `before ${timeText(untilMs)}`;
  const holdsSyncRuns = !allowed.some(({ manualSync }) => manualSync);
  const message = `no sync starts ${when}: ${textOf(only)} is not open`;
  return { message, holdsSyncRuns, untilMs };
}

/** Windows that overlap themselves are followed so far; the rest is seen at the end of that. */
const mostOverlaps = 10;

/** Undefined: it is not open. A schedule that cannot be read is never open. */
function openUntil({ schedule, timeZone, durationSeconds }: SyncWindow, nowMs: number) {
  const parsed = parseSchedule(schedule);
  if (typeof parsed === "string") return undefined;
  const beginMs = lastBegin(parsed, timeZone, nowMs);
  const durationMs = durationSeconds * 1_000;
  if (beginMs === undefined || beginMs + durationMs <= nowMs) return undefined;
  let endMs = beginMs + durationMs;
  for (let at = 0, from = nowMs; at < mostOverlaps; at += 1) {
    const next = nextBegin(parsed, timeZone, from);
    if (next === undefined || next > endMs) break;
    endMs = next + durationMs;
    from = next;
  }
  return endMs;
}

function beginAfter({ schedule, timeZone }: SyncWindow, nowMs: number): number | undefined {
  const parsed = parseSchedule(schedule);
  return typeof parsed === "string" ? undefined : nextBegin(parsed, timeZone, nowMs);
}

function textOf({ kind, schedule, timeZone }: SyncWindow): string {
  return `the window ${kind} "${schedule}" (${timeZone})`;
}
