// Chance in a simulated world. Each part of the world rolls dice of its own, derived from the seed
// and a name, so that one part asking once more does not change what all the others get.

import { seededRandom } from "../../src/kernel/random.ts";
import type { Random } from "../../src/kernel/random.ts";

export interface Dice {
  readonly random: Random;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** As `pick`, of a list that may be empty. */
  anyOf<T>(choices: readonly T[]): T | undefined;
  /** From 0 on, mostly short, now and then up to `mostMs`. */
  delay(mostMs: number): number;
  shuffled<T>(items: readonly T[]): readonly T[];
  fork(name: string): Dice;
}

export function diceOf(seed: number): Dice {
  const random = seededRandom(seed);
  const between = (least: number, most: number): number =>
    least + Math.floor(random.next() * (most - least + 1));
  const anyOf = <T>(choices: readonly T[]): T | undefined =>
    choices[between(0, choices.length - 1)];
  return {
    random,
    chance: (probability) => probability > 0 && random.next() < probability,
    between,
    pick: ([first, ...others]) => anyOf([first, ...others]) ?? first,
    anyOf,
    delay: (mostMs) => Math.floor(random.next() ** 4 * mostMs),
    shuffled: (items) =>
      items
        .map((item) => ({ item, order: random.next() }))
        .sort((a, b) => a.order - b.order)
        .map(({ item }) => item),
    fork: (name) => diceOf(mixed(seed, name)),
  };
}

/** FNV-1a over the name, started by the seed. */
function mixed(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
