// Label selectors: a list of requirements that must all hold. Read from the text form of the
// Kubernetes grammar (a=b, a!=b, a in (b,c), a notin (b), a, !a) and from the object form with
// matchLabels and matchExpressions; both give the same normal form, with sorted unique values.
// An object without the key satisfies "notin", as in Kubernetes.

import { SetpointError } from "./errors.ts";
import { goQuote } from "./go-text.ts";
import { labelKeyProblems, labelValueProblems } from "./labels.ts";
import { limits } from "./limits.ts";
import { scanSelector } from "./selector-scan.ts";
import type { SelectorToken } from "./selector-scan.ts";

export interface Requirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "absent";
  /** Empty for exists and absent; never empty otherwise. */
  readonly values: readonly string[];
  /**
   * With exists only: the value must be a whole number above or below this one. No index knows of
   * it, so whoever selects by one must look at what is found (withinBound).
   */
  readonly bound?: Bound;
}

export interface Bound {
  readonly side: "above" | "below";
  readonly than: string;
}

type Labels = { readonly [key: string]: string };

/** An empty text selects everything. Problems are told in the words of Kubernetes. */
export function parseSelector(text: string): readonly Requirement[] {
  const tokens = scanSelector(text);
  const requirements: Requirement[] = [];
  const cursor = { tokens, at: 0 };
  while (peek(cursor) !== undefined) {
    const first = peek(cursor);
    if (!startsRequirement(first)) {
      throw unreadable(`found ${quoted(first)}, expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(cursor));
    const next = take(cursor);
    if (next === undefined) break;
    if (!isMark(next, ",")) {
      throw unreadable(`found ${quoted(next)}, expected: ',' or 'end of string'`);
    }
    if (!startsRequirement(peek(cursor))) {
      throw unreadable(`found ${quoted(peek(cursor))}, expected: identifier after ','`);
    }
  }
  if (requirements.length > limits.maxSelectorRequirements) {
    throw new SetpointError("request.too_large", "a label selector has too many requirements", {
      details: { requirements: requirements.length, limit: limits.maxSelectorRequirements },
    });
  }
  return requirements;
}

/** The text form; parsing it gives the same requirements. */
export function formatSelector(requirements: readonly Requirement[]): string {
  return requirements.map(formatRequirement).join(",");
}

export function matchesSelector(
  requirements: readonly Requirement[],
  labels: Labels | undefined,
): boolean {
  return requirements.every(({ key, operator, values, bound }) => {
    const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "in":
        return value !== undefined && values.includes(value);
      case "notin":
        return value === undefined || !values.includes(value);
      case "exists":
        return value !== undefined && (bound === undefined || withinBound(bound, value));
      case "absent":
        return value === undefined;
      default:
        return operator satisfies never;
    }
  });
}

export function withinBound({ side, than }: Bound, value: string): boolean {
  const number = wholeNumber(value);
  const limit = wholeNumber(than);
  if (number === undefined || limit === undefined) return false;
  return side === "above" ? number > limit : number < limit;
}

/** As Go reads an integer of 64 bits. */
function wholeNumber(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,64}$/.test(text)) return undefined;
  const number = BigInt(text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** Checks and normalises one requirement; every way to make one ends here. */
export function requirement(
  key: string,
  operator: Requirement["operator"],
  values: readonly string[] = [],
): Requirement {
  const needsValues = operator === "in" || operator === "notin";
  const sorted = [...new Set(values)].sort();
  const problems = [...keyProblems(key)];
  if (needsValues && values.length === 0) {
    problems.push(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    );
  }
  if (!needsValues && values.length > 0) {
    const shown = JSON.stringify(values);
    problems.push(
      `values: Invalid value: ${shown}: values set must be empty for exists and does not exist`,
    );
  }
  for (const [at, value] of sorted.entries()) {
    const why = labelValueProblems(value).join("; ");
    if (why === "") continue;
    problems.push(`values[${at}][${key}]: Invalid value: ${goQuote(value)}: ${why}`);
  }
  if (problems.length === 0) return { key, operator, values: sorted };
  const [only = ""] = problems;
  throw unparsed(problems.length === 1 ? only : `[${problems.join(", ")}]`);
}

function keyProblems(key: string): readonly string[] {
  const problems = labelKeyProblems(key).map((problem) =>
    problem.replace(/^a qualified name/, "a valid label key"),
  );
  return problems.length === 0
    ? []
    : [`<nil>: Invalid value: ${goQuote(key)}: ${problems.join("; ")}`];
}

interface Cursor {
  readonly tokens: readonly SelectorToken[];
  at: number;
}

function peek({ tokens, at }: Cursor): SelectorToken | undefined {
  return tokens[at];
}

function take(cursor: Cursor): SelectorToken | undefined {
  const token = peek(cursor);
  cursor.at += 1;
  return token;
}

function isMark(token: SelectorToken | undefined, ...marks: readonly string[]): boolean {
  return token !== undefined && !token.isWord && marks.includes(token.text);
}

function startsRequirement(token: SelectorToken | undefined): boolean {
  return token?.isWord === true || isMark(token, "!");
}

function parseRequirement(cursor: Cursor): Requirement {
  const isAbsent = isMark(peek(cursor), "!");
  if (isAbsent) take(cursor);
  const key = wordOf(take(cursor));
  const [problem] = keyProblems(key);
  if (problem !== undefined) throw unparsed(problem);
  if (isAbsent) return requirement(key, "absent");
  const operator = take(cursor);
  if (operator === undefined || isMark(operator, ",")) {
    cursor.at -= 1;
    return requirement(key, "exists");
  }
  switch (operator.text) {
    case "=":
    case "==":
      return requirement(key, "in", [exactValue(cursor)]);
    case "!=":
      return requirement(key, "notin", [exactValue(cursor)]);
    case "in":
    case "notin":
      return requirement(key, operator.text, valueList(cursor));
    case ">":
      return compared(key, "above", exactValue(cursor));
    case "<":
      return compared(key, "below", exactValue(cursor));
    default:
      throw unparsed(`found ${quoted(operator)}, expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function compared(key: string, side: Bound["side"], than: string): Requirement {
  if (wholeNumber(than) === undefined) {
    const what = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw unparsed(`values[0]: Invalid value: ${goQuote(than)}: ${what}`);
  }
  // The value must be one that a label could have, too.
  requirement(key, "in", [than]);
  return { ...requirement(key, "exists"), bound: { side, than } };
}

/** "a=" and "a=,b" compare with the empty value. */
function exactValue(cursor: Cursor): string {
  const next = peek(cursor);
  return next === undefined || isMark(next, ",") ? "" : wordOf(take(cursor));
}

/** "(a,b)"; an empty place between commas is the empty value, and so is all of "()". */
function valueList(cursor: Cursor): readonly string[] {
  const open = take(cursor);
  if (!isMark(open, "(")) throw unparsed(`found ${quoted(open)} expected: '('`);
  const first = peek(cursor);
  if (first?.isWord !== true && !isMark(first, ",", ")")) {
    throw unparsed(`found ${quoted(first)}, expected: ',', ')' or identifier`);
  }
  const values: string[] = [];
  let place: string | undefined;
  for (;;) {
    const token = take(cursor);
    if (isMark(token, ",", ")")) {
      values.push(place ?? "");
      place = undefined;
      if (isMark(token, ")")) return values;
      continue;
    }
    if (place !== undefined) throw unparsed(`found ${quoted(token)}, expected: ',' or ')'`);
    if (token?.isWord !== true) {
      throw unparsed(`found ${quoted(token)}, expected: ',', or identifier`);
    }
    place = token.text;
  }
}

function wordOf(token: SelectorToken | undefined): string {
  if (token?.isWord === true) return token.text;
  throw unparsed(`found ${quoted(token)}, expected: identifier`);
}

function formatRequirement({ key, operator, values, bound }: Requirement): string {
  if (bound !== undefined) return `${key}${bound.side === "above" ? ">" : "<"}${bound.than}`;
  if (operator === "exists") return key;
  if (operator === "absent") return `!${key}`;
  if (values.length === 1) return `${key}${operator === "in" ? "=" : "!="}${values.join("")}`;
  return `${key} ${operator} (${values.join(",")})`;
}

function quoted(token: SelectorToken | undefined): string {
  return `'${token?.text ?? ""}'`;
}

function unparsed(problem: string): SetpointError {
  return unreadable(`unable to parse requirement: ${problem}`);
}

function unreadable(problem: string): SetpointError {
  return new SetpointError("request.invalid", problem);
}
