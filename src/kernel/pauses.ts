// Pauses between the steps of work on one large document. Each step is bounded by the limits on
// documents; several of them without a pause would block the event loop for too long. Steps of all
// large documents run one at a time, tenants take turns (step-turns.ts), and after each step the
// event loop belongs to other requests for as long as the step took: large documents use at most
// half of it, however many there are. A small document is processed without pauses.

import { limits } from "./limits.ts";
import { StepTurns } from "./step-turns.ts";

/** Undefined where no pause is needed, which costs no promise. */
export type Pause = () => Promise<void> | undefined;

export function pausesFor(bytes: number, tenant: string): Pause {
  return bytes < limits.minSlicedBytes ? noPause : () => turns.next(tenant);
}

/** Waits for a turn when the work has taken some time since the last one. */
export function timedPauses(tenant: string): Pause {
  let sinceMs = performance.now();
  const wait = async (): Promise<void> => {
    await turns.next(tenant);
    sinceMs = performance.now();
  };
  return () => (performance.now() - sinceMs < limits.inlineCheckMs ? undefined : wait());
}

/** Called after work on so many bytes: waits for a turn once they are many. */
export type BytePauses = (bytes: number) => Promise<void> | undefined;

/** For work on many documents, such as pages of a list. */
export function bytePauses(tenant: string): BytePauses {
  let done = 0;
  return (bytes) => {
    done += bytes;
    if (done < limits.minSlicedBytes) return undefined;
    done = 0;
    return turns.next(tenant);
  };
}

/** Work of one kind that took long before: the next work of the kind waits for a turn. */
export type HeavyTurns = <T>(kind: object, tenant: string, work: () => T) => Promise<T>;

/**
 * For much work that is usually small and can be heavy, such as the expressions of the resources of
 * a template. Small work does not wait.
 */
export function heavyTurns(): HeavyTurns {
  const heavy = new WeakSet<object>();
  return async (kind, tenant, work) => {
    if (heavy.has(kind)) await turns.next(tenant);
    const startMs = performance.now();
    try {
      return work();
    } finally {
      if (performance.now() - startMs >= limits.heavyWorkMs) heavy.add(kind);
      else heavy.delete(kind);
    }
  };
}

/** Resolves when the tenant may run its next step. */
export function nextTurn(tenant: string): Promise<void> {
  return turns.next(tenant);
}

/** One for the process, as there is one event loop. */
const turns = new StepTurns({
  nowMs: () => performance.now(),
  later: setImmediate,
  after: (ms, run) => setTimeout(run, ms),
});

/** The pause of work that is small. */
export function noPause(): undefined {
  return undefined;
}
