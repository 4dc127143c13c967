// Integers of 64 bits. JSON.parse rounds whole numbers beyond 2^53; Kubernetes keeps every int64.
// Here an integer is a number while that is exact and a bigint beyond, and every document is read
// by `parseExact`. A whole number beyond int64 is a float, as in Kubernetes. An ordinary document
// costs one look at every sixteenth character; only one with a long integer is parsed again.

import { randomBytes } from "node:crypto";
import { endOfString, parseReliably } from "./reliable-json.ts";

export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;

export function isInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64;
}

/** A number where that is exact or where the value is not an int64, and a bigint otherwise. */
export function integerOf(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) || !isInt64(value) ? near : value;
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** By value, whatever the types are. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/**
 * JSON.parse that keeps every int64; throws what JSON.parse throws. A whole number beyond int64 is
 * a float unless the caller has another use for its digits.
 */
export function parseExact(text: string, larger: (digits: string) => unknown = Number): unknown {
  const value = parseReliably(text);
  const first = longIntegerFrom(text, 0);
  if (first < 0) return value;
  const marked = withMarks(text, first);
  return marked === undefined ? value : withIntegers(parseReliably(marked), larger);
}

/** True when a text may contain an integer of 16 digits or more. */
export function hasLongInteger(text: string): boolean {
  return longIntegerFrom(text, 0) >= 0;
}

// A reviver would be called for every value of the text: three seconds for three megabytes. Instead
// long integers are parsed as strings with a mark that a client cannot guess.
const mark = `${randomBytes(12).toString("base64url")}:`;

/** Undefined when all long runs of digits are inside of strings. The text is known to be JSON. */
function withMarks(text: string, first: number): string | undefined {
  const parts: string[] = [];
  let done = 0;
  let quote = text.indexOf('"');
  for (let at = first; at >= 0;) {
    while (quote >= 0 && quote < at) {
      const close = endOfString(text, quote);
      // Inside of a string: goes on behind it.
      if (close > at) at = -1 - close;
      quote = text.indexOf('"', close + 1);
      if (at < 0) break;
    }
    if (at < 0) {
      at = longIntegerFrom(text, -at);
      continue;
    }
    const end = endOfDigits(text, at);
    parts.push(text.slice(done, at), `"${mark}${text.slice(at, end)}"`);
    done = end;
    at = longIntegerFrom(text, end);
  }
  return done === 0 ? undefined : parts.join("") + text.slice(done);
}

/** With a stack of its own, since the text may nest as deep as it likes. */
function withIntegers(parsed: unknown, larger: (digits: string) => unknown): unknown {
  const root: Record<string, unknown> = { value: parsed };
  const left: object[] = [root];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (Array.isArray(at)) {
      const list = at as unknown[];
      for (let i = 0; i < list.length; i++) {
        const value = list[i];
        if (typeof value === "object" && value !== null) left.push(value);
        else if (isMarked(value)) list[i] = integerIn(value, larger);
      }
      continue;
    }
    const holder = at as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value === "object" && value !== null) left.push(value);
      else if (isMarked(value)) {
        const integer = integerIn(value, larger);
        // An assignment to "__proto__" would change the prototype.
        if (key === "__proto__") Object.defineProperty(holder, key, { value: integer });
        else holder[key] = integer;
      }
    }
  }
  return root["value"];
}

/** The characters of the longest int64, with its sign. */
export const longestInt64 = 20;

function isMarked(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(mark);
}

function integerIn(marked: string, larger: (digits: string) => unknown): unknown {
  const digits = marked.slice(mark.length);
  // A BigInt of very many digits takes seconds, and no int64 has more than these.
  if (digits.length > longestInt64) return larger(digits);
  const integer = integerOf(BigInt(digits));
  const isLarger = typeof integer === "number" && !Number.isSafeInteger(integer);
  return isLarger ? larger(digits) : integer;
}

function endOfDigits(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

/** The fewest digits of an integer that is not exact as a number. */
const longDigits = 16;

/**
 * Where the first integer of 16 digits or more begins, with its sign; -1 for none. It may be inside
 * of a string. Each such run of digits has one at a multiple of 16, less one, so the characters
 * between are looked at only around a digit found there.
 */
function longIntegerFrom(text: string, from: number): number {
  const end = text.length;
  for (let i = from - (from % longDigits) + longDigits - 1; i < end; i += longDigits) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let first = i;
    while (first > from && isDigit(text.charCodeAt(first - 1))) first -= 1;
    let last = i;
    while (last + 1 < end && isDigit(text.charCodeAt(last + 1))) last += 1;
    if (last - first + 1 >= longDigits && standsAlone(text, first, last)) {
      return text.charCodeAt(first - 1) === minus ? first - 1 : first;
    }
    // Goes on at the first such position behind this run.
    i = last - ((last + 1) % longDigits);
  }
  return -1;
}

/** False for digits that begin or end like part of a string, and for those of a fraction. */
function standsAlone(text: string, first: number, last: number): boolean {
  const sign = text.charCodeAt(first - 1) === minus ? 1 : 0;
  const before = text.charAt(first - sign - 1);
  const after = text.charAt(last + 1);
  return " \t\n\r:,[".includes(before) && " \t\n\r,]}".includes(after);
}

const [minus, zero, nine] = [0x2d, 0x30, 0x39];

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

// JSON.stringify refuses a bigint that has no `toJSON`. Documents are written in many places, also
// by modules, so the method exists once for the whole process. Libraries like to define their own,
// which returns a string and would change the documents: that assignment has no effect.
const raw = JSON as unknown as { rawJSON(text: string): unknown };
const present = Object.getOwnPropertyDescriptor(BigInt.prototype, "toJSON");
if (present?.configurable !== false) {
  // oxlint-disable-next-line no-extend-native -- the platform has no other way for all callers
  Object.defineProperty(BigInt.prototype, "toJSON", {
    get: () => writeExactly,
    set: ignore,
    enumerable: false,
    configurable: false,
  });
}

function writeExactly(this: bigint): unknown {
  return raw.rawJSON(String(this));
}

function ignore(_method: unknown): void {
  // See above.
}
