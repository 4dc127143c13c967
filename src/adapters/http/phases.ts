// The phases of a request and their time limits: it waits for a connection, then for the status of
// the answer, then for the rest of the body.

import type { Timers } from "../../kernel/timers.ts";
import { failure } from "./failures.ts";
import type { HttpFailure, HttpTimeouts } from "./port.ts";

export interface Phases {
  readonly current: HttpFailure["phase"];
  /** Entering the body again starts its time limit again. */
  enter(phase: HttpFailure["phase"]): void;
  stop(): void;
}

export function startPhases(
  timeouts: HttpTimeouts,
  timers: Timers,
  late: (why: HttpFailure) => void,
): Phases {
  const { totalMs, connectMs, headersMs, bodyMs } = timeouts;
  const limitOf = { connecting: connectMs, waiting: headersMs, body: bodyMs };
  let current: HttpFailure["phase"] = "connecting";
  const limit = (ms: number | undefined): (() => void) =>
    ms === undefined
      ? () => undefined
      : timers.after(ms, () => {
          late(failure("timeout", current, `no response within ${ms / 1_000} s`));
        });
  const cancelTotal = limit(totalMs);
  let cancel = limit(connectMs);
  return {
    get current() {
      return current;
    },
    enter: (phase) => {
      current = phase;
      cancel();
      cancel = limit(limitOf[phase]);
    },
    stop: () => {
      cancel();
      cancelTotal();
    },
  };
}
