// The time within which a request is answered, whatever the code behind it is doing. Work that is
// still in progress then continues: whether a write took effect is not known, and the answer says
// so. Requests that arrive together share one timer.

import { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { currentTurn } from "./turn.ts";

/** Called once, when the time is over before `met`. */
export interface Overdue {
  overdue(error: SetpointError): void;
}

export interface Deadline {
  /** Ends the wait; whether that was in time. */
  met(): boolean;
}

interface Together {
  readonly turn: number;
  readonly waiting: Set<Wait>;
  readonly cancel: () => void;
}

export class Deadlines {
  readonly #timers: Timers;
  readonly #withinMs: number;
  #latest: Together | undefined;

  constructor(timers: Timers, withinMs: number) {
    this.#timers = timers;
    this.#withinMs = withinMs;
  }

  begin(request: Overdue): Deadline {
    const turn = currentTurn();
    const latest = this.#latest;
    const isOpen = latest !== undefined && latest.turn === turn && latest.waiting.size > 0;
    const together = isOpen ? latest : this.#together(turn);
    const wait = new Wait(together, request);
    together.waiting.add(wait);
    return wait;
  }

  #together(turn: number): Together {
    const waiting = new Set<Wait>();
    const cancel = this.#timers.after(this.#withinMs, () => {
      for (const wait of waiting) wait.end(tooLate(this.#withinMs));
    });
    this.#latest = { turn, waiting, cancel };
    return this.#latest;
  }
}

/** A class, because every request with a deadline has one. */
class Wait implements Deadline {
  readonly #together: Together;
  readonly #request: Overdue;
  #isOver = false;

  constructor(together: Together, request: Overdue) {
    this.#together = together;
    this.#request = request;
  }

  met(): boolean {
    const { waiting, cancel } = this.#together;
    if (waiting.delete(this) && waiting.size === 0) cancel();
    return !this.#isOver;
  }

  end(error: SetpointError): void {
    this.#isOver = true;
    this.#together.waiting.delete(this);
    this.#request.overdue(error);
  }
}

function tooLate(withinMs: number): SetpointError {
  const message =
    `The request was not answered within ${withinMs / 1_000} seconds. ` +
    "It may have taken effect: read the resource before a retry.";
  return new SetpointError("request.timeout", message);
}
