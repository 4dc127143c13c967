/**
 * Checks a list's requirements on the terms of one row, which are kept as JSON text: it is parsed
 * only for queries that select something.
 */
import { termMatcher } from "../../kernel/term-matcher.ts";
import type { ListQuery } from "../port.ts";

/** A check of a row's terms, or undefined when the query selects everything. */
export function matcherOf(query: ListQuery): ((terms: string) => boolean) | undefined {
  const matches = termMatcher(query);
  if (matches === undefined) return undefined;
  return (text) => matches(JSON.parse(text) as readonly string[]);
}
