// What a plain scalar of YAML is to kubectl, which reads YAML 1.1 with the integers of Go: `yes` is
// true, 0755 and 0o755 are 493, 12:30:45 and dates are text.

import { integerOf, isInt64 } from "../int64.ts";

/** Infinity and NaN are values here, which JSON cannot hold; the caller refuses them. */
export type PlainValue = null | boolean | number | bigint | string;

export function plainValue(text: string): PlainValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (isNull(text)) return null;
  const first = text.charAt(0);
  if (first === ".") return smallFraction(text);
  return /[-+0-9]/.test(first) ? (numberOf(text.replaceAll("_", "")) ?? text) : text;
}

function isNull(text: string): boolean {
  return text === "" || text === "~" || text === "null" || text === "Null" || text === "NULL";
}

const words: ReadonlyMap<string, boolean | number> = new Map<string, boolean | number>([
  ...inCases(["yes", "true", "on"]).map((word) => [word, true] as const),
  ...inCases(["no", "false", "off"]).map((word) => [word, false] as const),
  ...["y", "Y"].map((word) => [word, true] as const),
  ...["n", "N"].map((word) => [word, false] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Infinity] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, -Infinity] as const),
]);

function inCases(lower: readonly string[]): readonly string[] {
  return lower.flatMap((word) => [
    word,
    word.charAt(0).toUpperCase() + word.slice(1),
    word.toUpperCase(),
  ]);
}

/** Undefined for other texts. */
function numberOf(text: string): number | bigint | undefined {
  const integer = integerIn(text);
  if (integer !== undefined) return integer;
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const float = Number(text);
  // Go has no value for one that is too large.
  return Number.isFinite(float) ? float : undefined;
}

/** With the prefixes of Go; a leading 0 alone is octal. An integer beyond uint64 is a float. */
function integerIn(text: string): number | bigint | undefined {
  if (text.length > maxIntegerChars) return undefined;
  const [, sign = "", digits = ""] =
    /^([-+]?)(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/.exec(text) ?? [];
  if (digits === "") return undefined;
  const size = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" ? -size : size;
  if (!isInt64(value) && (sign !== "" || size >= 2n ** 64n)) return undefined;
  return integerOf(value);
}

/** More than 64 binary digits with their sign and prefix. */
const maxIntegerChars = 80;

function smallFraction(text: string): number | string {
  if (!/^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/.test(text)) return text;
  const float = Number(text);
  return Number.isFinite(float) ? float : text;
}
