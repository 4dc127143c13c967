// Which faults happen, how often, and how many did. A storm lasts for the first part of a run;
// afterwards the sky is clear, and what was promised has to come true. Every rate is drawn per
// seed, so that some worlds see one kind of fault only and others see all of them at once.

import type { Dice } from "./dice.ts";

export const faultKinds = [
  "slow",
  "refused",
  "unknown",
  "lost-answer",
  "partial",
  "crash",
  "pause",
  "partition",
  "late-renewal",
  "outage",
  "late-signal",
  "extra-signal",
  "clock-step",
  "store-clock-step",
  "restart",
  "swap",
  "compaction",
] as const;

export type FaultKind = (typeof faultKinds)[number];
export type Rates = Readonly<Record<FaultKind, number>>;
export type FaultCounts = Record<FaultKind, number>;

export class Weather {
  isStormy = false;
  /** The store answers nobody until then. */
  outageUntilMs = 0;
  readonly rates: Rates;
  readonly counts: FaultCounts = noFaults();
  readonly dice: Dice;

  constructor(rates: Rates, dice: Dice) {
    this.rates = rates;
    this.dice = dice;
  }

  strikes(kind: FaultKind): boolean {
    if (!this.isStormy || !this.dice.chance(this.rates[kind])) return false;
    this.counts[kind] += 1;
    return true;
  }

  clear(): void {
    this.isStormy = false;
    this.outageUntilMs = 0;
  }
}

export function noFaults(): FaultCounts {
  return Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as FaultCounts;
}

/**
 * The rates of one seed: per call for what happens to calls, per virtual second for the rest. Of
 * ten worlds one is without faults, three have one kind of them, and six have many.
 */
export function drawRates(dice: Dice, allowed: ReadonlySet<FaultKind>): Rates {
  const shape = dice.between(0, 9);
  const only = dice.pick(faultKinds);
  const rates = faultKinds.map((kind) => {
    const level = dice.pick([0, 0.3, 1, 1, 3]);
    const isOn = shape === 0 ? false : shape <= 3 ? kind === only : true;
    const factor = shape <= 3 ? 3 : level;
    return [kind, isOn && allowed.has(kind) ? usualRates[kind] * factor : 0];
  });
  return Object.fromEntries(rates) as Rates;
}

const usualRates: Rates = {
  slow: 0.03,
  refused: 0.02,
  unknown: 0.02,
  "lost-answer": 0.005,
  partial: 0.05,
  crash: 0.003,
  pause: 0.002,
  partition: 0.01,
  "late-renewal": 0.03,
  outage: 0.005,
  "late-signal": 0.05,
  "extra-signal": 0.05,
  "clock-step": 0.02,
  "store-clock-step": 0.005,
  restart: 0.005,
  swap: 0.02,
  compaction: 0.005,
};
