// Judges selectors on the terms of a resource. Terms contain everything that a selector can ask, so
// a change or a row of the past is judged by the terms it had then, without its document. The cost
// of a requirement depends neither on the number of its values nor on that of the terms: a tenant
// may open thousands of watches with a thousand values each, and store a thousand labels.

import { withinBound } from "./selector.ts";
import type { Requirement } from "./selector.ts";
import { fieldTerm, labelTerm, ownerTerm, termValue } from "./terms.ts";

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
  if (owner !== undefined) {
    const term = ownerTerm(owner);
    checks.push((terms) => candidates(terms, term).includes(term));
  }
  for (const { path, operator, values } of fields) {
    const isIn = hasAny(fieldTerm(path, ""), values);
    checks.push(operator === "in" ? isIn : not(isIn));
  }
  for (const { key, operator, values, bound } of labels) {
    const prefix = labelTerm(key, "");
    const isIn = hasAny(prefix, values);
    // A value long enough to be kept as a digest is not a number within 64 bits.
    const isGood = (term: string): boolean =>
      bound === undefined || withinBound(bound, term.slice(prefix.length));
    const exists: TermMatcher = (terms) =>
      candidates(terms, prefix).some((term) => term.startsWith(prefix) && isGood(term));
    checks.push({ in: isIn, notin: not(isIn), exists, absent: not(exists) }[operator]);
  }
  if (checks.length === 0) return undefined;
  return (terms) => checks.every((check) => check(terms));
}

function hasAny(prefix: string, values: readonly string[]): TermMatcher {
  const wanted = new Set(values.map(termValue));
  const isWanted = (term: string): boolean =>
    term.startsWith(prefix) && wanted.has(term.slice(prefix.length));
  return (terms) => candidates(terms, prefix).some(isWanted);
}

function not(check: TermMatcher): TermMatcher {
  return (terms) => !check(terms);
}

/** So few terms are searched faster than indexed. */
const maxScannedTerms = 8;

/** The terms of a change are judged by every watch, so their index is kept with them. */
const indexes = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>();

/** The terms that may begin with the prefix; all of them if there are few. */
function candidates(terms: readonly string[], prefix: string): readonly string[] {
  if (terms.length <= maxScannedTerms) return terms;
  return indexOf(terms).get(groupOf(prefix)) ?? [];
}

function indexOf(terms: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = indexes.get(terms);
  if (known !== undefined) return known;
  const index = Map.groupBy(terms, groupOf);
  indexes.set(terms, index);
  return index;
}

/** Terms of one label, field or owner have the same group. */
function groupOf(term: string): string {
  return term.slice(0, term.indexOf("=") + 1) || term;
}
