// A circuit breaker as a value: what it knows, and what it knows after the next thing happened. It
// opens when too many calls fail, stays open for a time that doubles with each failed probe, lets
// one probe through, and closes when that succeeds. Results of calls that began before it last
// changed its mind are ignored: they tell about a time that has been judged already.

export interface BreakerPolicy {
  /** Opens after so many failures in a row. */
  readonly consecutiveFailures: number;
  /** Opens when this part of the calls in the window failed, once there were `minCalls`. */
  readonly failureRate: number;
  readonly minCalls: number;
  readonly windowMs: number;
  /** How long it is open the first time, and at most; less up to a quarter, by chance. */
  readonly openFirstMs: number;
  readonly openMostMs: number;
}

export const defaultBreakerPolicy: BreakerPolicy = {
  consecutiveFailures: 5,
  failureRate: 0.5,
  minCalls: 20,
  windowMs: 30_000,
  openFirstMs: 5_000,
  openMostMs: 300_000,
};

export type Breaker = Closed | Open | HalfOpen;

interface Judged {
  /** Grows with every change of mind. */
  readonly era: number;
  /** How often it opened without a good while between. */
  readonly level: number;
}

interface Closed extends Judged {
  readonly kind: "closed";
  readonly sinceMs: number;
  readonly consecutive: number;
  readonly slices: readonly Slice[];
}

interface Open extends Judged {
  readonly kind: "open";
  readonly untilMs: number;
}

interface HalfOpen extends Judged {
  readonly kind: "half-open";
  readonly isProbing: boolean;
}

/** A part of the window. */
interface Slice {
  readonly index: number;
  readonly calls: number;
  readonly failures: number;
}

export type Admission =
  /** The era is handed back with the result. */
  | { readonly kind: "go"; readonly breaker: Breaker; readonly era: number }
  | { readonly kind: "refused"; readonly untilMs: number };

/** "void": it says nothing about the system, as when the caller was told to stop. */
export type CallResult = "success" | "failure" | "void";

const slicesPerWindow = 10;
/** How long the others wait for a probe before they ask again. */
const probeMs = 2_000;

export function newBreaker(nowMs: number): Breaker {
  return closed(0, 0, nowMs);
}

export function admitCall(breaker: Breaker, policy: BreakerPolicy, nowMs: number): Admission {
  const { era, level, kind } = breaker;
  if (kind === "closed") return { kind: "go", breaker, era };
  if (kind === "half-open" && breaker.isProbing) {
    return { kind: "refused", untilMs: nowMs + probeMs };
  }
  if (kind === "open") {
    const leftMs = breaker.untilMs - nowMs;
    // More is left than there ever was only when the clock was set back.
    const isOver = leftMs <= 0 || leftMs > policy.openMostMs;
    if (!isOver) return { kind: "refused", untilMs: breaker.untilMs };
  }
  return probe(era + 1, level);
}

export interface Report {
  /** As given when the call was let through. */
  readonly era: number;
  readonly result: CallResult;
  readonly nowMs: number;
  /** From [0, 1). */
  readonly chance: number;
}

export function reportCall(breaker: Breaker, policy: BreakerPolicy, report: Report): Breaker {
  const { era, level, kind } = breaker;
  const { result, nowMs, chance } = report;
  if (report.era !== era || kind === "open") return breaker;
  if (kind === "half-open") {
    if (result === "success") return closed(era + 1, level, nowMs);
    if (result === "failure") return opened(breaker, policy, level + 1, nowMs, chance);
    return { kind, era: era + 1, level, isProbing: false };
  }
  if (result === "void") return breaker;
  const slices = counted(breaker.slices, policy, result, nowMs);
  const consecutive = result === "success" ? 0 : breaker.consecutive + 1;
  if (result === "success" || !isTooMuch(slices, consecutive, policy)) {
    return { ...breaker, consecutive, slices };
  }
  // Closing only to open again at once is not a recovery.
  const isRelapse = era > 0 && Math.abs(nowMs - breaker.sinceMs) < policy.windowMs;
  return opened(breaker, policy, isRelapse ? level + 1 : 0, nowMs, chance);
}

/** True when forgetting it would change nothing. */
export function isBlank(breaker: Breaker, policy: BreakerPolicy, nowMs: number): boolean {
  if (breaker.kind !== "closed" || breaker.consecutive > 0) return false;
  return Math.abs(nowMs - breaker.sinceMs) >= policy.windowMs;
}

function probe(era: number, level: number): Admission {
  return { kind: "go", era, breaker: { kind: "half-open", era, level, isProbing: true } };
}

function closed(era: number, level: number, sinceMs: number): Breaker {
  return { kind: "closed", era, level, sinceMs, consecutive: 0, slices: [] };
}

function opened(
  { era }: Breaker,
  { openFirstMs, openMostMs }: BreakerPolicy,
  level: number,
  nowMs: number,
  chance: number,
): Breaker {
  const wholeMs = Math.min(openMostMs, openFirstMs * 2 ** Math.min(level, 30));
  const untilMs = nowMs + Math.ceil(wholeMs * (1 - chance / 4));
  return { kind: "open", era: era + 1, level, untilMs };
}

function counted(
  slices: readonly Slice[],
  { windowMs }: BreakerPolicy,
  result: CallResult,
  nowMs: number,
): readonly Slice[] {
  const index = Math.floor((nowMs * slicesPerWindow) / windowMs);
  const isInWindow = (slice: Slice): boolean => Math.abs(index - slice.index) < slicesPerWindow;
  const others = slices.filter((slice) => slice.index !== index && isInWindow(slice));
  const { calls, failures } = slices.find((slice) => slice.index === index) ?? empty;
  const now = { index, calls: calls + 1, failures: failures + (result === "failure" ? 1 : 0) };
  return [...others, now];
}

const empty = { calls: 0, failures: 0 };

function isTooMuch(
  slices: readonly Slice[],
  consecutive: number,
  { consecutiveFailures, failureRate, minCalls }: BreakerPolicy,
): boolean {
  if (consecutive >= consecutiveFailures) return true;
  const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
  return calls >= minCalls && failures >= calls * failureRate;
}
