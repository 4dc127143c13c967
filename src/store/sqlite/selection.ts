/**
 * Checks a list's requirements on the terms of one row. Terms say everything a selector can ask, so
 * rows of the past are judged by the terms they had then.
 */
import { fieldTerm, labelTerm, ownerTerm } from "../../kernel/terms.ts";
import type { ListQuery } from "../port.ts";

type Check = (terms: readonly string[]) => boolean;

/** A check of a row's terms (JSON text), or undefined when the query selects everything. */
export function matcherOf(query: ListQuery): ((terms: string) => boolean) | undefined {
  const { labels = [], fields = [], owner } = query;
  const checks: Check[] = [];
  if (owner !== undefined) checks.push(hasAny([ownerTerm(owner)]));
  for (const { path, operator, values } of fields) {
    const isIn = hasAny(values.map((value) => fieldTerm(path, value)));
    checks.push(operator === "in" ? isIn : not(isIn));
  }
  for (const { key, operator, values } of labels) {
    const isIn = hasAny(values.map((value) => labelTerm(key, value)));
    const prefix = labelTerm(key, "");
    const exists: Check = (terms) => terms.some((term) => term.startsWith(prefix));
    checks.push({ in: isIn, notin: not(isIn), exists, absent: not(exists) }[operator]);
  }
  if (checks.length === 0) return undefined;
  return (text) => {
    const terms = JSON.parse(text) as readonly string[];
    return checks.every((check) => check(terms));
  };
}

function hasAny(wanted: readonly string[]): Check {
  return (terms) => wanted.some((term) => terms.includes(term));
}

function not(check: Check): Check {
  return (terms) => !check(terms);
}
