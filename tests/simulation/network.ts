// Between a process and everything else. Each call is an await at which anything may happen: the
// request or its answer is late, the call fails before or after its effect, the answer is lost,
// the process crashes before, during or after it, or is paused until long after.

import { SetpointError } from "../../src/kernel/errors.ts";
import type { Agenda } from "./agenda.ts";
import type { SimulatedProcess } from "./process.ts";
import type { Trace } from "./trace.ts";
import type { Weather } from "./weather.ts";

/** What is said of a failed call; a store is honest about what it does not know. */
export interface CallKind {
  readonly name: string;
  /** Reads have no effect, so a failed one is never of unknown outcome. */
  readonly hasEffect: boolean;
  /** Calls of the store are hit by its outages. */
  readonly isStore: boolean;
}

export interface Fate {
  readonly requestMs: number;
  readonly answerMs: number;
  readonly failure: "none" | "before" | "after";
  readonly crash: "none" | "before" | "sent" | "answered";
  readonly pauseMs: number;
}

const clear: Fate = { requestMs: 1, answerMs: 0, failure: "none", crash: "none", pauseMs: 0 };

export class Network {
  readonly #agenda: Agenda;
  readonly #weather: Weather;
  readonly #trace: Trace;
  /** Calls in all, by everybody. */
  calls = 0;

  constructor(agenda: Agenda, weather: Weather, trace: Trace) {
    this.#agenda = agenda;
    this.#weather = weather;
    this.#trace = trace;
  }

  // It is the busiest place of a simulation, so it hands promises on instead of awaiting them.
  call<T>(
    process: SimulatedProcess,
    kind: CallKind,
    perform: () => Promise<T>,
    special: Partial<Fate> = {},
  ): Promise<T> {
    if (!process.isAlive) return never();
    this.calls += 1;
    process.calls += 1;
    const fate = this.#weather.isStormy ? { ...this.#fate(process, kind), ...special } : clear;
    if (this.#trace.isOn) this.#tell(process, kind, fate);
    if (fate.crash === "before") {
      process.end();
      return never();
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    process.openCalls += 1;
    const answer = (run: () => void): void => {
      const deliver = (): void =>
        process.deliver(() => {
          process.openCalls -= 1;
          if (fate.crash === "answered") process.end();
          else run();
        });
      const answerMs = this.#passable(process, fate.answerMs);
      if (answerMs === 0) deliver();
      else this.#agenda.after(answerMs, deliver);
    };
    this.#agenda.after(this.#passable(process, fate.requestMs), () => {
      this.#carryOut(kind, fate, perform).then(
        (value) => answer(() => resolve(value)),
        (error: unknown) => answer(() => reject(error)),
      );
    });
    if (fate.crash === "sent") process.end();
    else if (fate.pauseMs > 0) process.pause(fate.pauseMs);
    return promise;
  }

  /** A message that meets a network that is cut off is sent again until it gets through. */
  #passable({ cutOffUntilMs }: SimulatedProcess, delayMs: number): number {
    return Math.max(delayMs, cutOffUntilMs - this.#agenda.nowMs);
  }

  #carryOut<T>(kind: CallKind, fate: Fate, perform: () => Promise<T>): Promise<T> {
    const isDown = kind.isStore && this.#agenda.nowMs < this.#weather.outageUntilMs;
    if (fate.failure === "none" && !isDown) return perform();
    return this.#failing(kind, isDown || fate.failure === "before", perform);
  }

  async #failing<T>(kind: CallKind, isBefore: boolean, perform: () => Promise<T>): Promise<T> {
    if (!isBefore) await perform();
    if (!kind.isStore) throw failure(kind);
    throw kind.hasEffect && !isBefore ? outcomeUnknown() : unavailable();
  }

  #fate(process: SimulatedProcess, kind: CallKind): Fate {
    const weather = this.#weather;
    const { dice } = weather;
    const isSlow = weather.strikes("slow");
    const mostMs = isSlow ? 20_000 : 40;
    const isLost = weather.strikes("lost-answer");
    const failsAfter = isLost || weather.strikes("unknown");
    const isRefused = kind.isStore && process.refusedUntilMs > this.#agenda.nowMs;
    const failsBefore = isRefused || (!failsAfter && weather.strikes("refused"));
    const crash = weather.strikes("crash")
      ? dice.pick(["before", "sent", "answered"] as const)
      : "none";
    return {
      requestMs: dice.delay(mostMs),
      // Whoever sent a request that stays without an answer gives up in the end.
      answerMs: isLost ? dice.between(10_000, 60_000) : dice.delay(mostMs),
      failure: failsBefore ? "before" : failsAfter ? "after" : "none",
      crash,
      pauseMs: weather.strikes("pause") ? dice.between(100, 60_000) : 0,
    };
  }

  #tell(process: SimulatedProcess, kind: CallKind, fate: Fate): void {
    const parts = [
      fate.failure === "none" ? "" : ` fails ${fate.failure}`,
      fate.crash === "none" ? "" : ` crash ${fate.crash}`,
      fate.pauseMs === 0 ? "" : ` pause ${fate.pauseMs}`,
      ` (${fate.requestMs}+${fate.answerMs} ms)`,
    ];
    this.#trace.write(this.#agenda.nowMs, `${process.name} ${kind.name}${parts.join("")}`);
  }
}

export function never<T>(): Promise<T> {
  return new Promise<T>(() => {
    // What a crashed process waits for does not come.
  });
}

export function unavailable(): SetpointError {
  return new SetpointError("store.unavailable", "the simulated store does not answer");
}

export function outcomeUnknown(): SetpointError {
  return new SetpointError("store.outcome_unknown", "the simulated answer was lost");
}

function failure(kind: CallKind): Error {
  return new Error(`${kind.name} failed`);
}
