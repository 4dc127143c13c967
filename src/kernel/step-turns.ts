// The order of the steps of heavy work on the event loop, such as the steps of large writes. Steps
// run one at a time. Each tenant has a line of its own, and the next step belongs to the tenant
// that has used the least time recently: a tenant with hundreds of large writes delays the single
// write of another tenant by the step that is running. Tenants that have used the same take turns.
// What waits holds a place among the writes (surfaces/http/place.ts) or the runs, so the lines are
// bounded by those.

import { limits } from "./limits.ts";

export interface StepTurnsPorts {
  readonly nowMs: () => number;
  /** Runs the function in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
  readonly after: (ms: number, run: () => void) => void;
}

interface Line {
  readonly waiting: (() => void)[];
  /** Of its steps at `atMs`; half of it counts after `stepShareHalfLifeMs`. */
  usedMs: number;
  atMs: number;
}

/** Has a life cycle, hence a class. */
export class StepTurns {
  readonly #ports: StepTurnsPorts;
  /** In the order of turns. */
  readonly #lines = new Map<string, Line>();
  #isBusy = false;

  constructor(ports: StepTurnsPorts) {
    this.#ports = ports;
  }

  /** Resolves when the tenant may run its next step. */
  next(tenant: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const line = this.#lines.get(tenant) ?? { waiting: [], usedMs: 0, atMs: 0 };
    this.#lines.set(tenant, line);
    line.waiting.push(resolve);
    if (!this.#isBusy) this.#plan();
    return promise;
  }

  #plan(): void {
    this.#isBusy = true;
    this.#ports.later(() => this.#run());
  }

  #run(): void {
    const startMs = this.#ports.nowMs();
    const next = this.#nextLine(startMs);
    if (next === undefined) {
      this.#isBusy = false;
      return;
    }
    const [tenant, line] = next;
    // Behind the tenants that have used the same.
    this.#lines.delete(tenant);
    this.#lines.set(tenant, line);
    line.waiting.shift()?.();
    // The step runs before the following callback.
    this.#ports.later(() => {
      const nowMs = this.#ports.nowMs();
      line.usedMs = usedAt(line, nowMs) + nowMs - startMs;
      line.atMs = nowMs;
      // The event loop belongs to other requests for as long as the step took.
      const restMs = Math.min(nowMs - startMs, limits.maxStepRestMs);
      this.#ports.after(restMs, () => this.#run());
    });
  }

  /** Forgets the tenants that wait for nothing and whose use does not count any more. */
  #nextLine(nowMs: number): [tenant: string, line: Line] | undefined {
    let best: [tenant: string, line: Line] | undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [tenant, line] of this.#lines) {
      const usedMs = usedAt(line, nowMs);
      if (line.waiting.length === 0) {
        if (usedMs < forgottenMs) this.#lines.delete(tenant);
      } else if (usedMs < leastMs) {
        best = [tenant, line];
        leastMs = usedMs;
      }
    }
    return best;
  }
}

const forgottenMs = 1;

function usedAt({ usedMs, atMs }: Line, nowMs: number): number {
  return usedMs * 0.5 ** ((nowMs - atMs) / limits.stepShareHalfLifeMs);
}
