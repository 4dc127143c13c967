/**
 * The numbers of the last hour of this process: runs, start latency, requests. They are counted in
 * slots of some seconds as things happen, so an idle process does nothing for them. Durations are
 * counted by size, so percentiles of merged slots are those of all durations in them.
 */
import type { Clock } from "../kernel/clock.ts";
import type { TextMeter } from "./meter.ts";

export const recentLimits = { slotMs: 5_000, slots: 720 } as const;

/** Undefined where a number is not known: before the start, or where nothing was measured. */
type Numbers = (number | undefined)[];

export interface RecentSeries {
  readonly startedMs: number;
  /** The start of the first step. */
  readonly fromMs: number;
  readonly stepMs: number;
  readonly reconcilesPerSecond: Numbers;
  readonly failedPerSecond: Numbers;
  readonly startLatencyP50Seconds: Numbers;
  readonly startLatencyP99Seconds: Numbers;
  /** The largest number of runs in progress. */
  readonly running: Numbers;
  /** Resources that were due, when it was measured last. */
  readonly due: Numbers;
  readonly requestsPerSecond: Numbers;
  readonly requestErrorsPerSecond: Numbers;
  readonly requestP50Seconds: Numbers;
  readonly requestP99Seconds: Numbers;
}

/** The names of the metrics that are followed. */
export interface FollowedMetrics {
  readonly reconciles: string;
  readonly running: string;
  readonly due: string;
  readonly startLatencySeconds: string;
}

export interface RecentMetrics {
  /** The same meter; what passes through it is counted. */
  follow(meter: TextMeter, names: FollowedMetrics): TextMeter;
  /** A request that was answered; one without a length, such as a watch, has no duration. */
  request(status: number, durationMs: number | undefined): void;
  /** The last `spanMs`, in steps of at least a slot. */
  read(spanMs: number, stepMs: number): RecentSeries;
}

export function recentMetrics(clock: Clock): RecentMetrics {
  const startedMs = clock.nowMs();
  const ring = new Ring(clock);
  return {
    follow: (meter, names) => followedMeter(meter, names, ring),
    request: (status, durationMs) => {
      const slot = ring.current();
      slot.requests += 1;
      if (status >= 500) slot.errors += 1;
      if (durationMs !== undefined) slot.durations.add(durationMs / 1_000);
    },
    read: (spanMs, givenStepMs) => {
      const perStep = Math.max(1, Math.round(givenStepMs / slotMs));
      const stepMs = perStep * slotMs;
      const steps = Math.max(1, Math.min(Math.floor(spanMs / stepMs), Math.floor(slots / perStep)));
      // The last step is complete: the slot that is being counted would look like a drop.
      const end = Math.floor(clock.nowMs() / stepMs);
      const series = emptySeries(startedMs, (end - steps) * stepMs, stepMs);
      for (let step = end - steps; step < end; step += 1) {
        const isKnown = (step + 1) * stepMs > startedMs;
        addStep(series, ring.slotsOf(step * perStep, perStep), {
          seconds: stepMs / 1_000,
          isKnown,
        });
      }
      return series;
    },
  };
}

const { slotMs, slots } = recentLimits;

/** The slots of the last hour. A slot is made when something happens in it. */
class Ring {
  readonly #clock: Clock;
  readonly #slots: (Slot | undefined)[] = Array.from({ length: slots });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  current(): Slot {
    const number = Math.floor(this.#clock.nowMs() / slotMs);
    const [found] = this.slotsOf(number, 1);
    if (found !== undefined) return found;
    const made = newSlot(number);
    this.#slots[number % slots] = made;
    return made;
  }

  /** Those that exist of a number of slots. */
  slotsOf(first: number, count: number): readonly Slot[] {
    const numbers = Array.from({ length: count }, (_, at) => first + at);
    return numbers.flatMap((number) => {
      const slot = this.#slots[number % slots];
      return slot?.number === number ? [slot] : [];
    });
  }
}

function followedMeter(meter: TextMeter, names: FollowedMetrics, ring: Ring): TextMeter {
  const running = new Map<string, number>();
  const due = new Map<string, number>();
  return {
    count: (name, labels, by = 1) => {
      meter.count(name, labels, by);
      if (name !== names.reconciles) return;
      const slot = ring.current();
      slot.reconciles += by;
      if (labels?.["outcome"] === "failed") slot.failed += by;
    },
    gauge: (name, value, labels) => {
      meter.gauge(name, value, labels);
      const kind = labels?.["kind"] ?? "";
      if (name === names.due) {
        const sum = sumWith(due, kind, value);
        ring.current().due = Number.isFinite(sum) ? sum : undefined;
      } else if (name === names.running) {
        const slot = ring.current();
        slot.running = Math.max(slot.running ?? 0, sumWith(running, kind, value));
      }
    },
    observe: (name, seconds, labels) => {
      meter.observe(name, seconds, labels);
      if (name === names.startLatencySeconds) ring.current().latency.add(seconds);
    },
    collect: (name, read) => meter.collect(name, read),
    text: () => meter.text(),
  };
}

/** Of all kinds, with the new value of one. */
function sumWith(values: Map<string, number>, kind: string, value: number): number {
  values.set(kind, value);
  return [...values.values()].reduce((sum, each) => sum + each, 0);
}

interface Slot {
  /** The time divided by the length of a slot. */
  readonly number: number;
  reconciles: number;
  failed: number;
  running: number | undefined;
  due: number | undefined;
  requests: number;
  errors: number;
  readonly latency: Sizes;
  readonly durations: Sizes;
}

function newSlot(number: number): Slot {
  const counts = { reconciles: 0, failed: 0, requests: 0, errors: 0 };
  const gauges = { running: undefined, due: undefined };
  return { number, ...counts, ...gauges, latency: new Sizes(), durations: new Sizes() };
}

const smallestSeconds = 0.000_1;
/** Each size class is a fifth larger than the one before, so a percentile is exact to a tenth. */
const growth = 1.2;
const classes = 96;

/** Durations by their size class. */
class Sizes {
  #counts: Uint32Array | undefined;

  add(seconds: number): void {
    this.#counts ??= new Uint32Array(classes);
    const at = Math.ceil(
      Math.log(Math.max(seconds, smallestSeconds) / smallestSeconds) / logGrowth,
    );
    const index = Math.min(at, classes - 1);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  static percentile(all: readonly Sizes[], share: number): number | undefined {
    const total = new Uint32Array(classes);
    let count = 0;
    for (const { counts } of all) {
      for (const [index, each] of counts.entries()) {
        total[index] = (total[index] ?? 0) + each;
        count += each;
      }
    }
    if (count === 0) return undefined;
    let left = Math.ceil(count * share);
    const index = total.findIndex((each) => (left -= each) <= 0);
    return smallestSeconds * growth ** (index - 0.5);
  }

  get counts(): Uint32Array {
    return this.#counts ?? none;
  }
}

const logGrowth = Math.log(growth);
const none = new Uint32Array(0);

function emptySeries(startedMs: number, fromMs: number, stepMs: number): RecentSeries {
  return {
    startedMs,
    fromMs,
    stepMs,
    reconcilesPerSecond: [],
    failedPerSecond: [],
    startLatencyP50Seconds: [],
    startLatencyP99Seconds: [],
    running: [],
    due: [],
    requestsPerSecond: [],
    requestErrorsPerSecond: [],
    requestP50Seconds: [],
    requestP99Seconds: [],
  };
}

interface Step {
  readonly seconds: number;
  /** Whether the process was running then. */
  readonly isKnown: boolean;
}

function addStep(series: RecentSeries, merged: readonly Slot[], { seconds, isKnown }: Step): void {
  const rate = (of: (slot: Slot) => number): number | undefined =>
    isKnown ? merged.reduce((sum, slot) => sum + of(slot), 0) / seconds : undefined;
  const latency = merged.map((slot) => slot.latency);
  const durations = merged.map((slot) => slot.durations);
  const largest = merged.flatMap(({ running }) => running ?? []);
  series.reconcilesPerSecond.push(rate((slot) => slot.reconciles));
  series.failedPerSecond.push(rate((slot) => slot.failed));
  series.startLatencyP50Seconds.push(Sizes.percentile(latency, 0.5));
  series.startLatencyP99Seconds.push(Sizes.percentile(latency, 0.99));
  series.running.push(largest.length === 0 ? undefined : Math.max(...largest));
  series.due.push(merged.findLast(({ due }) => due !== undefined)?.due);
  series.requestsPerSecond.push(rate((slot) => slot.requests));
  series.requestErrorsPerSecond.push(rate((slot) => slot.errors));
  series.requestP50Seconds.push(Sizes.percentile(durations, 0.5));
  series.requestP99Seconds.push(Sizes.percentile(durations, 0.99));
}
