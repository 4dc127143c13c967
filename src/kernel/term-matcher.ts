// Judges selectors on the terms of a resource. Terms say everything a selector can ask, so a
// change or a row of the past is judged by the terms it had then, without its document.

import { withinBound } from "./selector.ts";
import type { Requirement } from "./selector.ts";
import { fieldTerm, labelTerm, ownerTerm } from "./terms.ts";

export type TermMatcher = (terms: readonly string[]) => boolean;

export interface TermSelection {
  readonly labels?: readonly Requirement[];
  readonly fields?: readonly {
    readonly path: string;
    readonly operator: "in" | "notin";
    readonly values: readonly string[];
  }[];
  /** The uid of an owner. */
  readonly owner?: string;
}

/** Undefined when everything is selected, so that callers can skip the check. */
export function termMatcher(selection: TermSelection): TermMatcher | undefined {
  const { labels = [], fields = [], owner } = selection;
  const checks: TermMatcher[] = [];
  if (owner !== undefined) checks.push(hasAny([ownerTerm(owner)]));
  for (const { path, operator, values } of fields) {
    const isIn = hasAny(values.map((value) => fieldTerm(path, value)));
    checks.push(operator === "in" ? isIn : not(isIn));
  }
  for (const { key, operator, values, bound } of labels) {
    const isIn = hasAny(values.map((value) => labelTerm(key, value)));
    const prefix = labelTerm(key, "");
    // A value long enough to be kept as a digest is no number within 64 bits.
    const isGood = (term: string): boolean =>
      bound === undefined || withinBound(bound, term.slice(prefix.length));
    const exists: TermMatcher = (terms) =>
      terms.some((term) => term.startsWith(prefix) && isGood(term));
    checks.push({ in: isIn, notin: not(isIn), exists, absent: not(exists) }[operator]);
  }
  if (checks.length === 0) return undefined;
  return (terms) => checks.every((check) => check(terms));
}

function hasAny(wanted: readonly string[]): TermMatcher {
  return (terms) => wanted.some((term) => terms.includes(term));
}

function not(check: TermMatcher): TermMatcher {
  return (terms) => !check(terms);
}
