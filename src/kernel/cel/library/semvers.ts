// Semantic versions: semver("1.2.3").isLessThan(semver("1.10.0")). The lenient form takes a
// leading v, leading zeros and missing parts.

import { fixed, traversal } from "../costs.ts";
import { declare, global, member } from "../functions.ts";
import type { FunctionDeclaration, Overload } from "../functions.ts";
import { boolType, intType, stringType, closedStructType } from "../types.ts";
import type { CelType } from "../types.ts";
import { compareText } from "../compare.ts";
import type { CelValue } from "../values.ts";
import { error, int, maxUint, opaqueValues, textOf } from "../values.ts";

export const semverType = closedStructType("kubernetes.Semver");

interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly (bigint | string)[];
}

const { wrap, unwrap } = opaqueValues<Semver>(semverType, (a, b) => compareSemvers(a, b) === 0);

const nominal = fixed(1);

const onTwo = (id: string, result: CelType, run: (order: number) => CelValue): Overload =>
  member(id, [semverType, semverType], result, (a, b) => run(compareSemvers(unwrap(a), unwrap(b))));

const part = (name: string, index: 0 | 1 | 2): FunctionDeclaration =>
  declare(
    name,
    [member(`semver_${name}`, [semverType], intType, (value) => int(unwrap(value).numbers[index]))],
    nominal,
  );

export const semverFunctions: readonly FunctionDeclaration[] = [
  declare(
    "semver",
    [
      global("string_to_semver", [stringType], semverType, (text) => toValue(parse(textOf(text)))),
      global("string_bool_to_semver", [stringType, boolType], semverType, (text, isLenient) =>
        toValue(parseAs(textOf(text), isLenient === true)),
      ),
    ],
    traversal(),
  ),
  declare(
    "isSemver",
    [
      global(
        "is_semver_string",
        [stringType],
        boolType,
        (text) => typeof parse(textOf(text)) !== "string",
      ),
      global(
        "is_semver_string_bool",
        [stringType, boolType],
        boolType,
        (text, isLenient) => typeof parseAs(textOf(text), isLenient === true) !== "string",
      ),
    ],
    traversal(),
  ),
  declare(
    "isGreaterThan",
    [onTwo("semver_is_greater_than", boolType, (order) => order > 0)],
    nominal,
  ),
  declare("isLessThan", [onTwo("semver_is_less_than", boolType, (order) => order < 0)], nominal),
  declare("compareTo", [onTwo("semver_compare_to", intType, (order) => order)], nominal),
  part("major", 0),
  part("minor", 1),
  part("patch", 2),
];

function toValue(parsed: Semver | string): CelValue {
  return typeof parsed === "string" ? error(parsed) : wrap(parsed);
}

function parseAs(text: string, isLenient: boolean): Semver | string {
  if (!isLenient) return parse(text);
  const parts = splitInto(text.replace(/^v/, ""), 3).map((piece) => {
    if (piece.length <= 1) return piece;
    const bare = piece.replace(/^0+/, "");
    return /^\d/.test(bare) ? bare : `0${bare}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) {
    return "short version cannot contain PreRelease/Build meta data";
  }
  while (parts.length < 3) parts.push("0");
  return parse(parts.join("."));
}

/** At most so many pieces; the last keeps its dots. */
function splitInto(text: string, count: number): string[] {
  const pieces = text.split(".");
  return pieces.length <= count
    ? pieces
    : [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(".")];
}

/** The version, or why the text is none. */
function parse(text: string): Semver | string {
  if (text === "") return "Version string empty";
  const [major, minor, rest] = splitInto(text, 3);
  if (major === undefined || minor === undefined || rest === undefined) {
    return "No Major.Minor.Patch elements found";
  }
  const plus = rest.indexOf("+");
  const build = plus < 0 ? undefined : rest.slice(plus + 1);
  const bare = plus < 0 ? rest : rest.slice(0, plus);
  const dash = bare.indexOf("-");
  const patch = dash < 0 ? bare : bare.slice(0, dash);
  const numbers = [
    parseNumber("Major", major),
    parseNumber("Minor", minor),
    parseNumber("Patch", patch),
  ];
  for (const number of numbers) if (typeof number === "string") return number;
  const prerelease =
    dash < 0
      ? []
      : bare
          .slice(dash + 1)
          .split(".")
          .map(parsePrerelease);
  for (const piece of prerelease) if (typeof piece === "object") return piece.problem;
  const problem = build === undefined ? undefined : buildProblem(build);
  if (problem !== undefined) return problem;
  const [x = 0n, y = 0n, z = 0n] = numbers.filter((number) => typeof number === "bigint");
  return {
    numbers: [x, y, z],
    prerelease: prerelease.filter((piece) => typeof piece !== "object"),
  };
}

function parseNumber(name: string, text: string): bigint | string {
  if (!/^\d*$/.test(text)) {
    return `Invalid character(s) found in ${name.toLowerCase()} number ${JSON.stringify(text)}`;
  }
  if (/^0./.test(text)) {
    return `${name} number must not contain leading zeroes ${JSON.stringify(text)}`;
  }
  return parseUint(text);
}

function parseUint(text: string): bigint | string {
  const prefix = `strconv.ParseUint: parsing ${JSON.stringify(text)}:`;
  if (text === "") return `${prefix} invalid syntax`;
  const value = BigInt(text);
  return value > maxUint ? `${prefix} value out of range` : value;
}

function parsePrerelease(text: string): bigint | string | { readonly problem: string } {
  if (text === "") return { problem: "Prerelease is empty" };
  if (/^\d+$/.test(text)) {
    if (/^0./.test(text)) {
      const shown = JSON.stringify(text);
      return { problem: `Numeric PreRelease version must not contain leading zeroes ${shown}` };
    }
    const value = parseUint(text);
    return typeof value === "string" ? { problem: value } : value;
  }
  if (/^[0-9A-Za-z-]+$/.test(text)) return text;
  return { problem: `Invalid character(s) found in prerelease ${JSON.stringify(text)}` };
}

function buildProblem(build: string): string | undefined {
  for (const piece of build.split(".")) {
    if (piece === "") return "Build meta data is empty";
    if (!/^[0-9A-Za-z-]+$/.test(piece)) {
      return `Invalid character(s) found in build meta data ${JSON.stringify(piece)}`;
    }
  }
  return undefined;
}

function compareSemvers(a: Semver, b: Semver): number {
  for (const index of [0, 1, 2] as const) {
    const order = compareBigints(a.numbers[index], b.numbers[index]);
    if (order !== 0) return order;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (const [index, piece] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const order = comparePieces(piece, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

/** Numbers come before words. */
function comparePieces(a: bigint | string, b: bigint | string): number {
  if (typeof a === "bigint" && typeof b === "bigint") return compareBigints(a, b);
  if (typeof a === "string" && typeof b === "string") return Math.sign(compareText(a, b));
  return typeof a === "bigint" ? -1 : 1;
}

function compareBigints(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
