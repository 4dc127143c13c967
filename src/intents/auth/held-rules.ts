// An index of the rules that a user holds, to find one that covers a single right or a complete
// rule. A rule is a set of values in each of its dimensions (groups, resources, verbs, names; or
// paths, verbs). It is never expanded into their product, which a small rule can make huge: the
// index has one entry for each value, and a look-up compares only the rules of the rarest value.

import { limits } from "../../kernel/limits.ts";
import type { Sliced } from "../../kernel/sliced.ts";
import type { PolicyRule } from "./policy.ts";

/** A value of a held rule; undefined stands for "not limited to names". */
export type Key = string | undefined;

/** A value of a wanted rule, with every key by which a held rule covers it. */
export interface Value {
  readonly text: Key;
  readonly keys: readonly Key[];
  /** Steps for one comparison: long texts take longer. */
  readonly cost: number;
}

/** The dimensions of a rule, each with its values. */
export type Dimensions<T> = readonly (readonly T[])[];

/** What a comparison may still cost. Below zero, the answer is not reliable. */
export interface Steps {
  left: number;
}

/** True after each slice of the steps. */
export function stepSlices(steps: Steps): () => boolean {
  let next = steps.left - limits.ruleSliceSteps;
  return () => {
    if (steps.left > next) return false;
    next = steps.left - limits.ruleSliceSteps;
    return true;
  };
}

export interface HeldRules {
  /** Whether one held rule covers the values, one of each dimension. */
  coversPart(part: readonly Value[]): boolean;
  /** Whether one held rule covers every combination of the values. */
  coversAll(wanted: Dimensions<Value>): boolean;
}

type Held = readonly ReadonlySet<Key>[];

export interface IndexLimits {
  readonly steps: Steps;
  readonly isSliceOver: () => boolean;
}

export function* indexRules(
  rules: readonly PolicyRule[],
  keysOf: (rule: PolicyRule) => Dimensions<Key>,
  { steps, isSliceOver }: IndexLimits,
): Sliced<HeldRules> {
  const index: Map<Key, Held[]>[] = [];
  for (const each of rules) {
    const rule = keysOf(each);
    for (const { length } of rule) steps.left -= length;
    if (steps.left < 0) break;
    if (isSliceOver()) yield;
    // Such a rule covers nothing of this kind.
    if (rule.some(({ length }) => length === 0)) continue;
    const held = rule.map((values) => new Set(values));
    for (const [at, values] of held.entries()) {
      const byKey = (index[at] ??= new Map<Key, Held[]>());
      for (const key of values) {
        const found = byKey.get(key);
        if (found === undefined) byKey.set(key, [held]);
        else found.push(held);
      }
    }
  }
  const candidates = (part: readonly Value[]): readonly (readonly Held[])[] => {
    const found = part.map(({ keys }, at) => keys.map((key) => index[at]?.get(key) ?? []));
    return found.reduce((best, lists) => (sizeOf(lists) < sizeOf(best) ? lists : best));
  };
  const has = (held: Held, at: number, { keys, cost }: Value): boolean => {
    steps.left -= cost;
    return steps.left >= 0 && keys.some((key) => held[at]?.has(key) === true);
  };
  const some = (part: readonly Value[], covers: (held: Held) => boolean): boolean => {
    for (const { cost } of part) steps.left -= cost;
    if (steps.left < 0) return false;
    return candidates(part).some((lists) => lists.some((held) => steps.left >= 0 && covers(held)));
  };
  return {
    coversPart: (part) => some(part, (held) => part.every((value, at) => has(held, at, value))),
    coversAll: (wanted) =>
      // What covers all parts covers the first one too.
      some(
        wanted.flatMap((values) => values.slice(0, 1)),
        (held) => wanted.every((values, at) => values.every((value) => has(held, at, value))),
      ),
  };
}

function sizeOf(lists: readonly (readonly Held[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}
