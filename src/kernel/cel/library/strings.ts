// The string functions of cel-go's extension, version 2. Positions count characters, which are
// code points; ASCII functions leave everything else alone.

import { listScan, sameSize, traversal } from "../costs.ts";
import { noBound, traversalFactor } from "../estimates.ts";
import { declare, global, member } from "../functions.ts";
import type { FunctionDeclaration } from "../functions.ts";
import { estimateJoin, estimateReplace, estimateSplit } from "./string-costs.ts";
import { codePoints, sizeOf } from "../sizes.ts";
import { limits } from "../../limits.ts";
import { formatText } from "./format-text.ts";
import { dynType, intType, listType, stringType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { error, items, list, noSuchOverload } from "../values.ts";

const text = stringType;
const texts = listType(stringType);

export const stringFunctions: readonly FunctionDeclaration[] = [
  declare("charAt", [
    member("string_char_at_int", [text, intType], text, (on, at) => charAt(str(on), num(at))),
  ]),
  declare(
    "indexOf",
    [
      member("string_index_of_string", [text, text], intType, (on, part) =>
        indexOf(str(on), str(part), 0),
      ),
      member("string_index_of_string_int", [text, text, intType], intType, (on, part, from) =>
        indexOf(str(on), str(part), num(from)),
      ),
    ],
    listScan,
  ),
  declare(
    "lastIndexOf",
    [
      member("string_last_index_of_string", [text, text], intType, (on, part) =>
        lastIndexOf(str(on), str(part)),
      ),
      member("string_last_index_of_string_int", [text, text, intType], intType, (on, part, from) =>
        lastIndexBefore(str(on), str(part), num(from)),
      ),
    ],
    listScan,
  ),
  declare(
    "lowerAscii",
    [
      member("string_lower_ascii", [text], text, (on) =>
        str(on).replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()),
      ),
    ],
    traversal(1, sameSize),
  ),
  declare(
    "upperAscii",
    [
      member("string_upper_ascii", [text], text, (on) =>
        str(on).replaceAll(/[a-z]+/g, (part) => part.toUpperCase()),
      ),
    ],
    traversal(1, sameSize),
  ),
  declare(
    "replace",
    [
      member("string_replace_string_string", [text, text, text], text, (on, old, by) =>
        replace(str(on), str(old), str(by), -1),
      ),
      member(
        "string_replace_string_string_int",
        [text, text, text, intType],
        text,
        (on, old, by, count) => replace(str(on), str(old), str(by), num(count)),
      ),
    ],
    { ...traversal(2), estimate: estimateReplace },
  ),
  declare(
    "split",
    [
      member("string_split_string", [text, text], texts, (on, by) => split(str(on), str(by), -1)),
      member("string_split_string_int", [text, text, intType], texts, (on, by, count) =>
        split(str(on), str(by), num(count)),
      ),
    ],
    { ...traversal(2), estimate: estimateSplit },
  ),
  declare(
    "substring",
    [
      member("string_substring_int", [text, intType], text, (on, from) =>
        substring(str(on), num(from)),
      ),
      member("string_substring_int_int", [text, intType, intType], text, (on, from, to) =>
        substring(str(on), num(from), num(to)),
      ),
    ],
    traversal(1, sameSize),
  ),
  declare(
    "trim",
    [member("string_trim", [text], text, (on) => trim(str(on)))],
    traversal(1, sameSize),
  ),
  declare(
    "join",
    [
      member("list_join", [texts], text, (on) => join(on, "")),
      member("list_join_string", [texts, text], text, (on, by) => join(on, str(by))),
    ],
    {
      estimate: estimateJoin,
      bill: () => (_, result) => Math.ceil(sizeOf(result) * 2 * traversalFactor),
      needsResult: true,
    },
  ),
  declare(
    "format",
    [member("string_format", [text, listType(dynType)], text, (on, args) => format(on, args))],
    traversal(),
  ),
  declare(
    "strings.quote",
    [global("strings_quote", [text], text, (on) => quote(str(on)))],
    traversal(1, ({ min, max }) => ({ min: min + 2, max: Math.min(noBound, max * 2 + 2) })),
  ),
];

/** The types were matched before, so anything else cannot come here. */
function str(value: CelValue): string {
  return typeof value === "string" ? value : "";
}

function num(value: CelValue): number {
  return Number(value);
}

function outOfRange(index: number): CelValue {
  return error(`index out of range: ${index}`);
}

function charAt(on: string, index: number): CelValue {
  const characters = Array.from(on);
  if (index < 0 || index > characters.length) return outOfRange(index);
  return characters[index] ?? "";
}

function indexOf(on: string, part: string, from: number): CelValue {
  if (part === "") return from;
  if (from < 0) return outOfRange(from);
  const start = unitOf(on, from);
  return start === undefined ? -1 : characterOf(on, on.indexOf(part, start));
}

function lastIndexOf(on: string, part: string): CelValue {
  return part === "" ? codePoints(on) : characterOf(on, lastUnitOf(on, part, on.length));
}

function lastIndexBefore(on: string, part: string, from: number): CelValue {
  if (part === "") return from;
  if (from < 0) return outOfRange(from);
  const start = unitOf(on, from);
  return start === undefined ? -1 : characterOf(on, lastUnitOf(on, part, start));
}

/** Where a character begins in UTF-16; undefined behind the last one. */
function unitOf(on: string, character: number): number | undefined {
  let unit = 0;
  for (let i = 0; i < character && unit < on.length; i++) {
    unit += (on.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit < on.length ? unit : undefined;
}

/** The platform compares a long part at each place from the end, but has a fast way forwards. */
function lastUnitOf(on: string, part: string, from: number): number {
  if (part.length <= shortPart) return on.lastIndexOf(part, from);
  const searched = on.slice(0, from + part.length);
  const found = reversed(searched).indexOf(reversed(part));
  return found < 0 ? -1 : searched.length - found - part.length;
}

const shortPart = 64;

function reversed(on: string): string {
  return on.split("").toReversed().join("");
}

/** The character that begins at a unit; -1 for what was not found. */
function characterOf(on: string, unit: number): number {
  return unit < 0 ? -1 : codePoints(on.slice(0, unit));
}

/** A negative count is all; an empty text is found between all characters. */
function replace(on: string, old: string, by: string, count: number): CelValue {
  if (count === 0 || old === by) return on;
  const most = old === "" ? on.length + 1 : on.length / old.length;
  if (most * by.length > limits.maxCelTextChars) return error("string is too long");
  if (old !== "") {
    const parts = on.split(old);
    const replaced = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
    const head = parts.slice(0, replaced + 1).join(by);
    return [head, ...parts.slice(replaced + 1)].join(old);
  }
  const characters = Array.from(on);
  const places = count < 0 ? characters.length + 1 : Math.min(count, characters.length + 1);
  let result = "";
  for (const [index, character] of characters.entries()) {
    result += (index < places ? by : "") + character;
  }
  return characters.length < places ? result + by : result;
}

function split(on: string, by: string, count: number): CelValue {
  if (count === 0) return list([]);
  const parts = by === "" ? Array.from(on) : on.split(by);
  if (count < 0 || parts.length <= count) return list(parts);
  return list([...parts.slice(0, count - 1), parts.slice(count - 1).join(by)]);
}

function substring(on: string, from: number, to?: number): CelValue {
  const characters = Array.from(on);
  const end = to ?? characters.length;
  if (to !== undefined && from > to) {
    return error(`invalid substring range. start: ${from}, end: ${to}`);
  }
  if (from < 0 || from > characters.length) return outOfRange(from);
  if (end < 0 || end > characters.length) return outOfRange(end);
  return characters.slice(from, end).join("");
}

/** Unicode's white space; JavaScript's differs in two characters. */
function trim(on: string): string {
  const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
  let [start, end] = [0, on.length];
  while (start < end && space.test(on.charAt(start))) start += 1;
  while (end > start && space.test(on.charAt(end - 1))) end -= 1;
  return on.slice(start, end);
}

function join(on: CelValue, by: string): CelValue {
  if (typeof on !== "object" || on?.kind !== "list") return noSuchOverload;
  const parts: string[] = [];
  let length = 0;
  for (const item of items(on)) {
    if (typeof item !== "string") return error("join: invalid input");
    parts.push(item);
    length += item.length + by.length;
    if (length > limits.maxCelTextChars) return error("string is too long");
  }
  return parts.join(by);
}

function format(on: CelValue, args: CelValue): CelValue {
  if (typeof args !== "object" || args?.kind !== "list") return noSuchOverload;
  const result = formatText(str(on), items(args));
  return result.kind === "text" ? result.text : error(result.message);
}

const quoted: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(on: string): string {
  const escaped = on.toWellFormed().replaceAll(/[\p{Cc}\\"]/gu, (unit) => quoted[unit] ?? unit);
  return `"${escaped}"`;
}
