// Label selectors: a list of requirements that must all hold. Read from the text form of the
// Kubernetes grammar (a=b, a!=b, a in (b,c), a notin (b), a, !a) and from the object form with
// matchLabels and matchExpressions; both give the same normal form, with sorted unique values.
// An object without the key satisfies "notin", as in Kubernetes.

import { SetpointError } from "./errors.ts";
import { labelKeyProblems, labelValueProblems } from "./labels.ts";
import { limits } from "./limits.ts";
import { scanSelector } from "./selector-scan.ts";
import type { SelectorToken } from "./selector-scan.ts";

export interface Requirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "absent";
  /** Empty for exists and absent; never empty otherwise. */
  readonly values: readonly string[];
}

type Labels = { readonly [key: string]: string };

/** An empty text selects everything. */
export function parseSelector(text: string): readonly Requirement[] {
  const tokens = scanSelector(text);
  const requirements: Requirement[] = [];
  let at = 0;
  const peek = (): SelectorToken | undefined => tokens[at];
  const take = (): SelectorToken | undefined => tokens[at++];
  while (peek() !== undefined) {
    requirements.push(parseRequirement(peek, take));
    const next = take();
    if (next === undefined) break;
    if (next.text !== "," || next.isWord) throw unreadable(text, `found ${quoted(next)}`);
    if (peek() === undefined) throw unreadable(text, "it ends after a comma");
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
  return requirements.every(({ key, operator, values }) => {
    const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "in":
        return value !== undefined && values.includes(value);
      case "notin":
        return value === undefined || !values.includes(value);
      case "exists":
        return value !== undefined;
      case "absent":
        return value === undefined;
      default:
        return operator satisfies never;
    }
  });
}

/** Checks and normalises one requirement; every way to make one ends here. */
export function requirement(
  key: string,
  operator: Requirement["operator"],
  values: readonly string[] = [],
): Requirement {
  const needsValues = operator === "in" || operator === "notin";
  const problems = [...labelKeyProblems(key), ...values.flatMap(labelValueProblems)];
  if (needsValues && values.length === 0) problems.push(`${operator} needs at least one value`);
  if (!needsValues && values.length > 0) problems.push(`${operator} takes no values`);
  const [problem] = problems;
  if (problem !== undefined) throw unreadable(key, problem);
  return { key, operator, values: [...new Set(values)].sort() };
}

type Step = () => SelectorToken | undefined;

function parseRequirement(peek: Step, take: Step): Requirement {
  const first = take();
  if (first !== undefined && !first.isWord && first.text === "!") {
    return requirement(wordOf(take()), "absent");
  }
  const key = wordOf(first);
  const operator = peek();
  if (operator === undefined || operator.text === ",") return requirement(key, "exists");
  take();
  switch (operator.text) {
    case "=":
    case "==":
      return requirement(key, "in", [exactValue(peek, take)]);
    case "!=":
      return requirement(key, "notin", [exactValue(peek, take)]);
    case "in":
    case "notin":
      return requirement(key, operator.text, valueList(take));
    default:
      throw unreadable(key, `found ${quoted(operator)} instead of an operator`);
  }
}

/** "a=" and "a=,b" compare with the empty value. */
function exactValue(peek: Step, take: Step): string {
  const next = peek();
  if (next === undefined || (!next.isWord && next.text === ",")) return "";
  return wordOf(take());
}

/** "(a,b)"; an empty place between commas is the empty value, but "()" holds none. */
function valueList(take: Step): readonly string[] {
  const open = take();
  if (open === undefined || open.isWord || open.text !== "(") {
    throw unreadable("in", `found ${quoted(open)} instead of "("`);
  }
  const values: string[] = [];
  let place: string | undefined;
  for (;;) {
    const token = take();
    const isMark = token !== undefined && !token.isWord && [",", ")"].includes(token.text);
    if (!isMark) {
      if (place !== undefined) throw unreadable("in", `found ${quoted(token)} after a value`);
      place = wordOf(token);
      continue;
    }
    const isWhole = token.text === ")" && values.length === 0 && place === undefined;
    if (isWhole) return [];
    values.push(place ?? "");
    place = undefined;
    if (token.text === ")") return values;
  }
}

function wordOf(token: SelectorToken | undefined): string {
  if (token?.isWord) return token.text;
  throw unreadable("", `found ${quoted(token)} instead of a name`);
}

function formatRequirement({ key, operator, values }: Requirement): string {
  if (operator === "exists") return key;
  if (operator === "absent") return `!${key}`;
  if (values.length === 1) return `${key}${operator === "in" ? "=" : "!="}${values.join("")}`;
  return `${key} ${operator} (${values.join(",")})`;
}

function quoted(token: SelectorToken | undefined): string {
  return token === undefined ? "the end" : `"${token.text}"`;
}

function unreadable(selector: string, problem: string): SetpointError {
  return new SetpointError("request.invalid", `unable to parse the label selector: ${problem}`, {
    details: { selector: selector.slice(0, 600), problem },
  });
}
