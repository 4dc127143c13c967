// What many runs amount to: figures that add up, and the line by which a failed one is repeated.

import type { Figures, RunResult } from "./run.ts";
import type { Invariant } from "./violation.ts";
import { faultKinds, noFaults } from "./weather.ts";
import type { FaultCounts } from "./weather.ts";

export interface Failure {
  readonly seed: number;
  readonly invariant: Invariant;
  readonly text: string;
}

export interface Summary {
  readonly seeds: number;
  readonly faults: FaultCounts;
  readonly figures: Figures;
  readonly failures: readonly Failure[];
}

export const nothingYet: Summary = {
  seeds: 0,
  faults: noFaults(),
  figures: {
    claims: 0,
    takeovers: 0,
    runs: 0,
    crashes: 0,
    stops: 0,
    calls: 0,
    revisions: 0,
    effects: 0,
    removals: 0,
    staleRefused: 0,
    steps: 0,
    undone: 0,
    virtualMs: 0,
  },
  failures: [],
};

export function summaryOf({ seed, violation, faults, figures }: RunResult): Summary {
  return {
    seeds: 1,
    faults,
    figures,
    failures: violation === undefined ? [] : [{ seed, ...violation }],
  };
}

export function added(a: Summary, b: Summary): Summary {
  return {
    seeds: a.seeds + b.seeds,
    faults: sums(a.faults, b.faults),
    figures: sums(a.figures, b.figures),
    failures: [...a.failures, ...b.failures],
  };
}

/** The one line that a failing seed prints; pasted into a shell it fails again. */
export function failureLine({ seed, invariant, text }: Failure): string {
  return `npm run simulate -- --from ${seed} --seeds 1  # ${invariant}: ${text}`;
}

export function summaryText(
  { seeds, faults, figures, failures }: Summary,
  seconds: number,
): string {
  const { virtualMs, claims, takeovers, runs, crashes, stops, calls, revisions } = figures;
  const { effects, removals, staleRefused, steps, undone } = figures;
  const struck = faultKinds.filter((kind) => faults[kind] > 0);
  const hours = (virtualMs / 3_600_000).toFixed(0);
  return [
    `seeds       ${seeds} in ${seconds.toFixed(1)} s, ${hours} virtual hours`,
    `faults      ${struck.map((kind) => `${kind} ${faults[kind]}`).join(", ") || "none"}`,
    `engine      claims ${claims}, takeovers ${takeovers}, runs ${runs}`,
    `journal     steps ${steps}, undone ${undone}`,
    `processes   crashes ${crashes}, graceful stops ${stops}`,
    `store       calls ${calls}, revisions ${revisions}`,
    `outside     effects ${effects}, removals ${removals}, refused as stale ${staleRefused}`,
    `violations  ${failures.length}${byInvariant(failures)}`,
  ].join("\n");
}

function byInvariant(failures: readonly Failure[]): string {
  if (failures.length === 0) return "";
  const groups = Map.groupBy(failures, ({ invariant }) => invariant);
  const parts = [...groups].map(([invariant, list]) => `${invariant} ${list.length}`);
  return ` (${parts.join(", ")})`;
}

function sums<K extends string>(
  a: Readonly<Record<K, number>>,
  b: Readonly<Record<K, number>>,
): Record<K, number> {
  const keys = Object.keys(a) as K[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Record<K, number>;
}
