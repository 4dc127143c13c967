/**
 * The numbers that the author of a module may choose, each within bounds. One that is no number,
 * or out of all reason, would not fail where it is written but turn up later as a reconciler that
 * never runs, or never stops running.
 */
import type { Reconciler, RetryPolicy } from "../engine/reconciler.ts";
import type { SystemPolicy } from "../engine/external/external.ts";

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** Zero has a meaning of its own, below the least. */
  readonly orZero?: true;
  readonly isFraction?: true;
}

type Options = Readonly<Record<string, Bounds>>;

const dayMs = 24 * 3_600_000;
/** What is beyond cannot be waited for with one timer. */
const longestTimerMs = 2 ** 31 - 1;

const reconcilerOptions: Readonly<Record<NumberOption, Bounds>> = {
  version: { least: 0, most: Number.MAX_SAFE_INTEGER },
  concurrency: { least: 1, most: 100_000 },
  timeoutMs: { least: 1, most: longestTimerMs },
  resyncMs: { least: 1_000, most: 365 * dayMs, orZero: true },
};

type NumberOption = Extract<keyof Reconciler, "version" | `${string}Ms` | "concurrency">;

const delay: Bounds = { least: 10, most: 30 * dayMs };

const retryOptions: Readonly<Record<keyof RetryPolicy, Bounds>> = {
  soonFirstMs: delay,
  soonMostMs: delay,
  slowFirstMs: delay,
  slowMostMs: delay,
};

const systemOptions: Readonly<Record<keyof SystemPolicy, Bounds>> = {
  consecutiveFailures: { least: 1, most: 1_000_000 },
  failureRate: { least: 0.01, most: 1, isFraction: true },
  minCalls: { least: 1, most: 1_000_000 },
  windowMs: { least: 1_000, most: dayMs },
  openFirstMs: { least: 10, most: dayMs },
  openMostMs: { least: 10, most: dayMs },
  calls: { least: 1, most: 100_000 },
  queue: { least: 0, most: 100_000 },
  waitMs: { least: 0, most: dayMs },
  timeoutMs: { least: 1, most: longestTimerMs },
};

/** What is wrong with the numbers of a reconciler, with the field; nothing when all are sound. */
export function reconcilerProblem(field: string, reconciler: object): string | undefined {
  // A reconciler may have more to it than the engine knows of; how it retries has not.
  const problem = numberProblem(field, reconciler, reconcilerOptions);
  if (problem !== undefined || !("retry" in reconciler)) return problem;
  return optionsProblem(`${field}.retry`, reconciler.retry, retryOptions);
}

export function systemProblem(name: string, options: unknown): string | undefined {
  return optionsProblem(`systems[${JSON.stringify(name)}]`, options, systemOptions);
}

function optionsProblem(field: string, given: unknown, options: Options): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null) return `${field} must be an object of options`;
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(options, name));
  if (stranger === undefined) return numberProblem(field, given, options);
  return `${field}.${stranger} is not an option; options: ${Object.keys(options).join(", ")}`;
}

function numberProblem(field: string, given: object, options: Options): string | undefined {
  const values = given as Readonly<Record<string, unknown>>;
  for (const [name, bounds] of Object.entries(options)) {
    const value = values[name];
    if (value === undefined || isWithin(value, bounds)) continue;
    return `${field}.${name} must be ${boundsText(bounds)}, not ${shown(value)}`;
  }
  return undefined;
}

function isWithin(value: unknown, { least, most, orZero, isFraction }: Bounds): boolean {
  if (typeof value !== "number") return false;
  if (isFraction !== true && !Number.isInteger(value)) return false;
  if (orZero === true && value === 0) return true;
  return value >= least && value <= most;
}

function shown(value: unknown): string {
  if (typeof value === "number") return `${value}`;
  return typeof value === "string" ? JSON.stringify(value) : `a value of type ${typeof value}`;
}

function boundsText({ least, most, orZero, isFraction }: Bounds): string {
  const zero = orZero === true ? "0 or " : "";
  return `${zero}${isFraction === true ? "a number" : "an integer"} from ${least} to ${most}`;
}
