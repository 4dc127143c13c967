// What the outbox of this process knows about its own progress, for metrics and health.

import { newLinkState } from "../link.ts";
import type { LinkState } from "../link.ts";

export interface OutboxState {
  readonly link: LinkState;
  /** Whether this process publishes; other processes stand by. */
  isLeading: boolean;
  /** Everything up to here is confirmed. */
  through: number;
  head: number;
  /** When the oldest change was made whose events are not confirmed. */
  oldestMs: number | undefined;
  /** Lanes that wait after the broker returned or refused an event, and the last reason. */
  waiting: number;
  waitingReason: string | undefined;
  /** History that was compacted before its events were published. */
  lost: { readonly from: number; readonly to: number } | undefined;
}

export function newOutboxState(): OutboxState {
  return {
    link: newLinkState(),
    isLeading: false,
    through: 0,
    head: 0,
    oldestMs: undefined,
    waiting: 0,
    waitingReason: undefined,
    lost: undefined,
  };
}

/** The lag in seconds from which `/readyz?verbose` reports a problem. */
const alarmSeconds = 60;

/** Undefined when the outbox works, or another process publishes. */
export function outboxProblem(
  { isLeading, link, through, head, oldestMs, waiting, waitingReason }: OutboxState,
  nowMs: number,
): string | undefined {
  if (!isLeading) return undefined;
  const behind = Math.max(0, head - through);
  if (!link.isConnected) {
    const reason = link.reason ?? "not tried yet";
    return `the broker is not connected (${reason}); ${behind} revisions wait`;
  }
  if (waiting > 0) return `the broker does not take events of ${waiting} lanes (${waitingReason})`;
  const seconds = oldestMs === undefined ? 0 : Math.floor((nowMs - oldestMs) / 1_000);
  return seconds < alarmSeconds ? undefined : `the oldest event waits for ${seconds} s`;
}
