// The numbers that runs leave behind. They are told for every run, so the labels are made once for
// each kind and not each time.

import { metric } from "./metric-names.ts";
import type { Outcome } from "../outcome.ts";
import type { EnginePorts, Labels } from "../ports.ts";
import type { Run } from "../run/run.ts";

export class Instruments {
  readonly #clock: EnginePorts["clock"];
  readonly #meter: EnginePorts["meter"];
  readonly #kinds = new Map<string, KindNumbers>();

  constructor({ clock, meter }: EnginePorts) {
    this.#clock = clock;
    this.#meter = meter;
  }

  started({ key, claim, startedMs }: Run): void {
    const numbers = this.#of(key.kind);
    // The due time is the database's: its clock may be ahead of ours.
    const lateMs = Math.max(0, startedMs - claim.dueAtMs);
    this.#meter.observe(metric.startLatencySeconds, lateMs / 1_000, numbers.labels);
    numbers.running += 1;
    this.#meter.gauge(metric.running, numbers.running, numbers.labels);
  }

  ended({ key, startedMs }: Run): void {
    const numbers = this.#of(key.kind);
    const tookMs = Math.max(0, this.#clock.nowMs() - startedMs);
    this.#meter.observe(metric.reconcileSeconds, tookMs / 1_000, numbers.labels);
    numbers.running -= 1;
    this.#meter.gauge(metric.running, numbers.running, numbers.labels);
  }

  /** `word` in the place of an outcome: how a run ended that has none. */
  concluded({ key }: Run, outcome: Outcome | "lost" | "handedBack"): void {
    const numbers = this.#of(key.kind);
    const word = typeof outcome === "string" ? outcome : wordFor(outcome);
    let labels = numbers.outcomes.get(word);
    if (labels === undefined) {
      numbers.outcomes.set(word, (labels = { kind: key.kind, outcome: word }));
    }
    this.#meter.count(metric.reconciles, labels);
    if (word === "failed" && typeof outcome === "object" && isRetried(outcome)) {
      this.#meter.count(metric.retries, numbers.labels);
    }
  }

  abandoned({ key }: Run, alive: number): void {
    this.#meter.count(metric.abandoned, this.#of(key.kind).labels);
    this.#meter.gauge(metric.abandonedAlive, alive);
  }

  returned(alive: number): void {
    this.#meter.gauge(metric.abandonedAlive, alive);
  }

  queues(queued: number, settling: number): void {
    this.#meter.gauge(metric.queued, queued);
    this.#meter.gauge(metric.settling, settling);
  }

  #of(kind: string): KindNumbers {
    let numbers = this.#kinds.get(kind);
    if (numbers === undefined) {
      numbers = { labels: { kind }, outcomes: new Map(), running: 0 };
      this.#kinds.set(kind, numbers);
    }
    return numbers;
  }
}

interface KindNumbers {
  readonly labels: Labels;
  readonly outcomes: Map<string, Labels>;
  running: number;
}

function wordFor(outcome: Outcome): string {
  return outcome.kind === "failed" && outcome.isCounted === false ? "refused" : outcome.kind;
}

function isRetried(outcome: Outcome): boolean {
  return outcome.kind === "failed" && outcome.retry !== "never";
}
