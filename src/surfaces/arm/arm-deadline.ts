// Every request is answered within a minute, as the Resource Manager wants it, whatever the code of
// a face or the store is doing. What is still under way then goes on: whether a write took effect
// is not known, which is what the answer says. Requests that came together wait with one timer.

import type { Timers } from "../../kernel/timers.ts";
import { currentTurn } from "../http/turn.ts";
import { armRefusal } from "./arm-error.ts";

/** The Resource Manager gives up after 60 s; the answer has to travel, too. */
export const answerWithinMs = 55_000;

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
  #latest: Together | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `over` is told once, unless the wait has ended by then. */
  begin(over: (error: Error) => void): Deadline {
    const turn = currentTurn();
    const latest = this.#latest;
    const isOpen = latest !== undefined && latest.turn === turn && latest.waiting.size > 0;
    const together = isOpen ? latest : this.#together(turn);
    const wait = new Wait(together, over);
    together.waiting.add(wait);
    return wait;
  }

  #together(turn: number): Together {
    const waiting = new Set<Wait>();
    const cancel = this.#timers.after(answerWithinMs, () => {
      for (const wait of waiting) wait.end();
    });
    this.#latest = { turn, waiting, cancel };
    return this.#latest;
  }
}

/** A class, because one is made for every request. */
class Wait implements Deadline {
  readonly #together: Together;
  readonly #over: (error: Error) => void;
  #isOver = false;

  constructor(together: Together, over: (error: Error) => void) {
    this.#together = together;
    this.#over = over;
  }

  met(): boolean {
    const { waiting, cancel } = this.#together;
    if (waiting.delete(this) && waiting.size === 0) cancel();
    return !this.#isOver;
  }

  end(): void {
    this.#isOver = true;
    this.#together.waiting.delete(this);
    this.#over(tooLate());
  }
}

function tooLate(): Error {
  const message =
    `The request was not answered within ${answerWithinMs / 1_000} seconds. ` +
    "Whether it took effect is not known: ask for the resource.";
  return armRefusal(504, { code: "GatewayTimeout", message });
}
