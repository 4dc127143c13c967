// "%s is %d".format([...]): the clauses, what each accepts, and how values are written. %f and %e
// write numbers for people in American English, thousands and powers included, as cel-go does.

import { goQuote } from "../../go-text.ts";
import { compareText } from "../compare.ts";
import { show } from "../text.ts";
import type { CelValue } from "../values.ts";
import { items, typeName, typeOf } from "../values.ts";

export type Formatted =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "problem"; readonly message: string };

export function formatText(template: string, args: readonly CelValue[]): Formatted {
  const parsed = parseTemplate(template, args.length);
  if (parsed.kind === "problem") return parsed;
  let text = "";
  let next = 0;
  for (const part of parsed.parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const written = writeClause(part, args[next++] ?? null);
    if (written.kind === "problem") {
      return problem(`error during formatting: ${written.message}`);
    }
    text += written.text;
  }
  return { kind: "text", text };
}

export interface Clause {
  readonly verb: Verb;
  readonly precision: number;
}

export type Verb = "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";

export type Template =
  | { readonly kind: "template"; readonly parts: readonly (string | Clause)[] }
  | { readonly kind: "problem"; readonly message: string };

/** Reads the clauses as far as there are arguments for them. */
export function parseTemplate(template: string, argCount: number): Template {
  const parts: (string | Clause)[] = [];
  let count = 0;
  let at = 0;
  while (at < template.length) {
    const percent = template.indexOf("%", at);
    if (percent < 0) break;
    parts.push(template.slice(at, percent));
    if (template[percent + 1] === "%") {
      parts.push("%");
      at = percent + 2;
      continue;
    }
    if (count >= argCount) return problem(`index ${count} out of range`);
    if (percent + 1 >= template.length) return problem("unexpected end of string");
    const clause = parseClause(template.slice(percent + 1));
    if (clause.kind === "problem") {
      return problem(`could not parse formatting clause: ${clause.message}`);
    }
    parts.push(clause.clause);
    count++;
    at = percent + 1 + clause.length;
  }
  parts.push(template.slice(at));
  return { kind: "template", parts };
}

type ParsedClause =
  | { readonly kind: "clause"; readonly clause: Clause; readonly length: number }
  | { readonly kind: "problem"; readonly message: string };

const defaultPrecision = 6;

function parseClause(text: string): ParsedClause {
  const dot = /^\.(\d*)/.exec(text);
  const head = dot?.[0] ?? "";
  const verb = text[head.length];
  if (dot !== null) {
    const prefix = "error while parsing precision: ";
    if (verb === undefined) return problem(`${prefix}could not find end of precision specifier`);
    if (dot[1] === "") {
      const cause = 'strconv.Atoi: parsing "": invalid syntax';
      return problem(`${prefix}error while converting precision to integer: ${cause}`);
    }
  }
  if (!isVerb(verb)) return problem(`unrecognized formatting clause "${verb ?? ""}"`);
  const precision = dot === null ? defaultPrecision : Math.min(mostDigits, Number(dot[1]));
  return { kind: "clause", clause: { verb, precision }, length: head.length + 1 };
}

function isVerb(text: string | undefined): text is Verb {
  return text !== undefined && /^[sdfebxXo]$/.test(text);
}

/** What a clause says when it is given the wrong type. */
export function clauseProblem(verb: Verb, givenType: string): string {
  return `${complaints[verb]}, was given ${givenType}`;
}

const hexComplaint = "only integers, byte buffers, and strings can be formatted as hex";
const complaints: Readonly<Record<Verb, string>> = {
  s:
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, " +
    "durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: hexComplaint,
  X: hexComplaint,
  o: "octal clause can only be used on integers",
};

function writeClause({ verb, precision }: Clause, value: CelValue): Formatted {
  const text = writers[verb](value, precision);
  if (text !== undefined) return { kind: "text", text };
  return problem(clauseProblem(verb, typeName(typeOf(value))));
}

/** Undefined: not for this type. */
const writers: Readonly<Record<Verb, (value: CelValue, precision: number) => string | undefined>> =
  {
    s: (value) => writeString(value),
    d: (value) => asInteger(value)?.toString(),
    f: (value, precision) => writeFixed(value, precision),
    // The precision is taken for the width.
    e: (value, precision) => writeScientific(value)?.padStart(precision),
    b: (value) => {
      if (typeof value === "boolean") return value ? "1" : "0";
      return asInteger(value)?.toString(2);
    },
    x: (value) => writeHex(value),
    X: (value) => writeHex(value)?.toUpperCase(),
    o: (value) => asInteger(value)?.toString(8),
  };

function asInteger(value: CelValue): bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return BigInt(value);
  return typeof value === "object" && value?.kind === "uint" ? value.value : undefined;
}

function asDouble(value: CelValue): number | undefined {
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  return typeof value === "object" && value?.kind === "double" ? value.value : undefined;
}

function writeFixed(value: CelValue, precision: number): string | undefined {
  const number = asDouble(value);
  if (number === undefined) return undefined;
  return notFinite(number) ?? grouped(toFixedEven(number, precision));
}

/** As many as JavaScript can write, and more than a tie can have. */
const mostDigits = 100;

/** JavaScript rounds a tie up; Go rounds it to the even digit. */
function toFixedEven(number: number, precision: number): string {
  const exact = Math.abs(number).toFixed(mostDigits);
  const isTie = /^50*$/.test(exact.slice(exact.indexOf(".") + 1 + precision));
  const rounded = number.toFixed(precision);
  if (!isTie || /[02468]$/.test(rounded)) return rounded;
  const kept = exact.slice(0, exact.indexOf(".") + (precision === 0 ? 0 : 1 + precision));
  return number < 0 ? `-${kept}` : kept;
}

function notFinite(number: number): string | undefined {
  if (Number.isNaN(number)) return "NaN";
  if (Number.isFinite(number)) return undefined;
  return number > 0 ? "∞" : "-∞";
}

/** "1234567.89" to "1,234,567.89". */
function grouped(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const separated = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? separated : `${separated}.${fraction}`;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function writeScientific(value: CelValue): string | undefined {
  const number = asDouble(value);
  if (number === undefined) return undefined;
  const special = notFinite(number);
  if (special !== undefined) return special;
  const [mantissa = "", exponent = "0"] = number.toExponential(6).split("e");
  const power = Number(exponent);
  const digits = String(Math.abs(power)).padStart(2, "0");
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)] ?? "").join("");
  return `${mantissa}×10${power < 0 ? "⁻" : ""}${raised}`;
}

function writeHex(value: CelValue): string | undefined {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (typeof value === "object" && value?.kind === "bytes") {
    return Buffer.from(value.bytes).toString("hex");
  }
  return asInteger(value)?.toString(16);
}

function writeString(value: CelValue): string | undefined {
  if (typeof value !== "object" || value === null) return show(value);
  switch (value.kind) {
    case "double":
    case "uint":
    case "bytes":
    case "timestamp":
    case "duration":
    case "type":
      return show(value);
    case "list":
      return joined(items(value).map(writeLiteral), "[", "]");
    case "map":
      return writeMap(value);
    default:
      return undefined;
  }
}

function joined(parts: readonly (string | undefined)[], open: string, close: string) {
  const written = parts.filter((part) => part !== undefined);
  return written.length < parts.length ? undefined : `${open}${written.join(", ")}${close}`;
}

function writeMap(map: Extract<CelValue, { kind: "map" }>): string | undefined {
  const entries = map.keys().map((key): readonly [string, string] | undefined => {
    const [name, value] = [writeLiteral(key), writeLiteral(map.get(key) ?? null)];
    return name === undefined || value === undefined ? undefined : [name, value];
  });
  const sorted = entries.toSorted((a, b) => compareText(a?.[0] ?? "", b?.[0] ?? ""));
  return joined(
    sorted.map((entry) => entry?.join(":")),
    "{",
    "}",
  );
}

/** Inside lists and maps, values look as they would in an expression. */
function writeLiteral(value: CelValue): string | undefined {
  const text = writeString(value);
  if (text === undefined) return undefined;
  if (typeof value === "string") return goQuote(value);
  if (typeof value !== "object" || value === null) return text;
  switch (value.kind) {
    case "bytes":
      return `b${goQuote(text)}`;
    case "timestamp":
      return `timestamp("${text}")`;
    case "duration":
      return `duration("${text}")`;
    case "double":
      return Number.isFinite(value.value) ? value.value.toFixed(6) : `"${text}"`;
    default:
      return text;
  }
}

function problem(message: string): { readonly kind: "problem"; readonly message: string } {
  return { kind: "problem", message };
}
