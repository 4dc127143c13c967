// The event that replaces events that cannot be published any more.

import { messageOf } from "./cloud-event.ts";
import type { PendingEvent } from "./lanes.ts";

export interface LostInput {
  readonly from: number;
  readonly to: number;
  /** Where publishing continues. */
  readonly revision: number;
  readonly timeMs: number;
  readonly exchange: string;
  readonly source: string;
}

export function lostEvent(input: LostInput): PendingEvent {
  const { from, to, revision, timeMs, exchange, source } = input;
  const facts = {
    id: `lost-${from}-${to}`,
    source,
    type: "events.lost",
    subject: "events",
    timeMs,
    cause: undefined,
    data: { from, to },
  };
  const routingKey = "events.lost";
  return { lane: "events.lost", revision, message: messageOf(facts, { exchange, routingKey }) };
}
