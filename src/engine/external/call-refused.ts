// A call of a system outside that was not made, because its circuit is open or too many calls are
// under way. It ends the run that wanted it without counting as one of its failures: nothing has
// become known about the resource, so Ready and the number of failures stay as they were.

import { failed } from "../outcome.ts";
import { RunEnded } from "../run/run-ended.ts";

export class CallRefused extends RunEnded {
  readonly system: string;
  readonly why: "CircuitOpen" | "Busy";
  /** When there is hope. */
  readonly afterMs: number;

  constructor(system: string, why: "CircuitOpen" | "Busy", afterMs: number, message: string) {
    super(failed(why, message, { afterMs, isCounted: false }));
    this.name = "CallRefused";
    this.system = system;
    this.why = why;
    this.afterMs = afterMs;
  }
}
