// Reads the JSONPath dialect of Kubernetes' printer columns into steps. The dialect is small and
// its own: dots, quoted keys, indexes, slices, unions, wildcards, `..` and filters that compare
// two sides. It knows no functions and no arithmetic, so that a path can never run code.

import { SetpointError } from "./errors.ts";
import { limits } from "./limits.ts";

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "recursive" }
  | { readonly kind: "slice"; readonly slice: Slice }
  | { readonly kind: "union"; readonly branches: readonly Steps[] }
  | { readonly kind: "exists"; readonly left: Steps }
  | {
      readonly kind: "compare";
      readonly left: Steps;
      readonly operator: Comparison;
      readonly right: Steps;
    }
  | { readonly kind: "literal"; readonly value: string | number | boolean };

export type Steps = readonly Step[];

export interface Slice {
  readonly from: number | undefined;
  /** Undefined for "to the end"; "next" for the one element of a plain index. */
  readonly to: number | "next" | undefined;
  readonly step: number | undefined;
}

const sliceText = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparisonText = /^([^!<>=]+)([!<>=]+)(.+)$/s;
const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const fieldEnd = /[ \t\r\n.,[\]$@{}]/;

/** Throws request.invalid with what is wrong; the path has no braces around it. */
export function parseJsonPath(text: string): Steps {
  if (text.length > limits.maxJsonPathChars) throw syntaxError("the path is too long");
  return parsed(text, 0);
}

interface Scan {
  readonly text: string;
  at: number;
  readonly steps: Step[];
  readonly depth: number;
}

function parsed(text: string, depth: number): Steps {
  if (depth > limits.maxJsonPathNesting) throw syntaxError("the path is nested too deeply");
  const scan: Scan = { text, at: 0, steps: [], depth };
  while (scan.at < text.length) readStep(scan);
  return scan.steps;
}

function readStep(scan: Scan): void {
  const { text } = scan;
  const next = text.charAt(scan.at);
  if (text.startsWith("[?(", scan.at)) readFilter(scan);
  else if (text.startsWith("..", scan.at)) readRecursive(scan);
  else if (next === " " || next === "@" || next === "$") scan.at++;
  else if (next === "[") readBrackets(scan);
  else if (next === '"' || next === "'") readQuoted(scan, next);
  else if (next === ".") {
    scan.at++;
    readField(scan);
  } else if (/[+\-\d]/.test(next)) readNumber(scan);
  else if (/[\p{L}\p{Nd}_]/u.test(next)) readWord(scan);
  else throw syntaxError(`unrecognized character in action: ${JSON.stringify(next)}`);
}

function readField(scan: Scan): void {
  let name = "";
  for (; scan.at < scan.text.length; scan.at++) {
    const next = scan.text.charAt(scan.at);
    if (next === "\\") name += scan.text.charAt(++scan.at);
    else if (fieldEnd.test(next)) break;
    else name += next;
  }
  scan.steps.push(name === "*" ? { kind: "wildcard" } : { kind: "field", name });
}

function readRecursive(scan: Scan): void {
  if (scan.steps.at(-1)?.kind === "recursive") {
    throw syntaxError("invalid multiple recursive descent");
  }
  scan.at += 2;
  scan.steps.push({ kind: "recursive" });
  if (/[\p{L}\p{Nd}_]/u.test(scan.text.charAt(scan.at))) readField(scan);
}

function readNumber(scan: Scan): void {
  const [found = ""] = /^[+-]?[\d.]*/.exec(scan.text.slice(scan.at)) ?? [];
  const value = Number(found);
  if (found === "" || !/\d/.test(found) || Number.isNaN(value)) {
    throw syntaxError(`cannot parse number ${found}`);
  }
  scan.at += found.length;
  scan.steps.push({ kind: "literal", value });
}

function readWord(scan: Scan): void {
  const [word = ""] = /^[^ \t\r\n.,[\]$@{}]*/.exec(scan.text.slice(scan.at)) ?? [];
  if (word !== "true" && word !== "false") throw syntaxError(`unrecognized identifier ${word}`);
  scan.at += word.length;
  scan.steps.push({ kind: "literal", value: word === "true" });
}

function readQuoted(scan: Scan, quote: string): void {
  const end = quoteEnd(scan.text, scan.at + 1, quote);
  if (end === -1) throw syntaxError("unterminated quoted string");
  scan.steps.push({ kind: "literal", value: unquoted(scan.text.slice(scan.at + 1, end), quote) });
  scan.at = end + 1;
}

function quoteEnd(text: string, from: number, quote: string): number {
  let end = text.indexOf(quote, from);
  while (end !== -1 && text.charAt(end - 1) === "\\") end = text.indexOf(quote, end + 1);
  return end;
}

function unquoted(inner: string, quote: string): string {
  if (!inner.includes("\\")) return inner;
  const escapes: Readonly<Record<string, string>> = {
    n: "\n",
    t: "\t",
    r: "\r",
    "\\": "\\",
    [quote]: quote,
  };
  return inner.replaceAll(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|.?)/gs, (_whole, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const meant = Object.hasOwn(escapes, code) ? escapes[code] : undefined;
    if (meant === undefined) throw syntaxError("unquote string error: invalid syntax");
    return meant;
  });
}

function readBrackets(scan: Scan): void {
  const end = scan.text.indexOf("]", scan.at);
  if (end === -1) throw syntaxError("unterminated array");
  const inner = scan.text.slice(scan.at + 1, end);
  scan.at = end + 1;
  const parts = inner.split(",");
  if (parts.length > 1) {
    const branches = parts.map((part) => parsed(`[${part.trim()}]`, scan.depth + 1));
    scan.steps.push({ kind: "union", branches });
    return;
  }
  const key = /^'([^']*)'$/.exec(inner);
  if (key === null) scan.steps.push({ kind: "slice", slice: slice(inner === "*" ? ":" : inner) });
  else scan.steps.push(...parsed(`.${key[1] ?? ""}`, scan.depth + 1));
}

function slice(text: string): Slice {
  const match = sliceText.exec(text);
  if (match === null) throw syntaxError(`invalid array index ${text}`);
  const [, from = "", to, step] = match;
  return { from: index(from), to: to === undefined ? "next" : index(to), step: index(step ?? "") };
}

function index(text: string): number | undefined {
  const digits = text.startsWith(":") ? text.slice(1) : text;
  if (digits === "") return undefined;
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw syntaxError(`array index ${digits} is not a number`);
  return value;
}

function readFilter(scan: Scan): void {
  const end = filterEnd(scan.text, scan.at + 3);
  if (scan.text.charAt(end + 1) !== "]") throw syntaxError("unclosed array expect ]");
  const inner = scan.text.slice(scan.at + 3, end);
  scan.at = end + 2;
  const match = comparisonText.exec(inner);
  if (match === null) {
    scan.steps.push({ kind: "exists", left: parsed(inner, scan.depth + 1) });
    return;
  }
  const [, left = "", operator = "", right = ""] = match;
  if (!isComparison(operator)) throw syntaxError(`unrecognized filter operator ${operator}`);
  scan.steps.push({
    kind: "compare",
    left: parsed(left, scan.depth + 1),
    operator,
    right: parsed(right, scan.depth + 1),
  });
}

/** The closing parenthesis that is not inside quotes. */
function filterEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const next = text.charAt(at);
    if (next === ")") return at;
    if (next === '"' || next === "'") {
      const end = quoteEnd(text, at + 1, next);
      if (end === -1) break;
      at = end;
    }
    at++;
  }
  throw syntaxError("unterminated filter");
}

function isComparison(text: string): text is Comparison {
  return comparisons.has(text);
}

function syntaxError(message: string): SetpointError {
  return new SetpointError("request.invalid", message);
}
