/**
 * How much is due of each reconciled kind and for how long, over all processes: measured when
 * somebody reads the numbers, and not more often than every few seconds, however many read. A store
 * that does not answer holds nobody up; what is not known then is no number.
 */
import { metric } from "../engine/reporting/metric-names.ts";
import type { Timers } from "../kernel/timers.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { Worker } from "./reconciling.ts";

type Measured = Pick<ControlPlane, "meter"> & {
  readonly intents: Pick<ControlPlane["intents"], "store" | "kinds" | "clock">;
};

/** As of the last time it was measured. */
const freshMs = 5_000;
/** Whoever reads the numbers waits no longer than this. */
const patienceMs = 1_000;
const mostKinds = 200;

/** Resolves when the numbers are there, or are not to be had in time. Never rejects. */
export function backlogMeasure(
  plane: Measured,
  timers: Timers,
  worker?: Pick<Worker, "measure">,
): () => Promise<void> {
  const { clock } = plane.intents;
  const known = new Set<string>();
  let measuredMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  const measureAll = async (): Promise<void> => {
    const fromMs = clock.nowMs();
    try {
      await measure(plane, known);
      measuredMs = fromMs;
    } catch {
      tellUnknown(plane, known);
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    worker?.measure();
    // A clock that was set back must not keep old numbers for long.
    const ageMs = clock.nowMs() - measuredMs;
    if (ageMs >= 0 && ageMs < freshMs) return;
    underWay ??= measureAll();
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const cancel = timers.after(patienceMs, () => resolve("late"));
    const verdict = await Promise.race([underWay, late]);
    cancel();
    if (verdict === "late") tellUnknown(plane, known);
  };
}

async function measure(plane: Measured, known: Set<string>): Promise<void> {
  const { store, kinds } = plane.intents;
  const reconciled = kinds.all().filter(({ isReconciled, isDueAfter }) => {
    return isReconciled || isDueAfter !== undefined;
  });
  const ids = new Set(reconciled.map(({ id }) => id).slice(0, mostKinds));
  for (const kind of known) if (!ids.has(kind)) tell(plane, kind, 0, 0);
  for (const kind of ids) {
    const { due, next } = await store.backlog({ kind, limit: 1 });
    // What is due comes before all that is claimed or planned.
    const { claim, dueInMs = 0 } = next[0]?.work ?? {};
    known.add(kind);
    tell(plane, kind, due, claim === undefined ? Math.max(0, -dueInMs) / 1_000 : 0);
  }
}

function tellUnknown(plane: Measured, known: ReadonlySet<string>): void {
  for (const kind of known) tell(plane, kind, Number.NaN, Number.NaN);
}

function tell({ meter }: Measured, kind: string, due: number, oldestSeconds: number): void {
  meter.gauge(metric.backlogDue, due, { kind });
  meter.gauge(metric.backlogOldestSeconds, oldestSeconds, { kind });
}
