// Values as Go's fmt prints them, for messages that clients compare with those of Kubernetes: the
// form is part of the API, however odd it looks.

import { isJsonArray, isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";

/** `%v` of a number: Go changes to exponents elsewhere than JavaScript, and pads them. */
export function goNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) {
    return size >= 1e15 && Number.isInteger(value) ? BigInt(value).toString() : String(value);
  }
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${digits}e${sign}${exponent.slice(1).padStart(2, "0")}`;
}

/** `%q` of a string. */
export function goQuote(text: string): string {
  const quoted = JSON.stringify(text);
  return needsHex.test(quoted) ? quoted.replace(controls, goEscape) : quoted;
}

/** `%v` of a value: `map[a:1 b:[x y]]`. */
export function goText(value: Json): string {
  if (value === null) return "<nil>";
  if (isJsonArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key] ?? null)}`);
  return `map[${members.join(" ")}]`;
}

/** `%#v` of a value: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (isJsonArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key] ?? null)}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** The name of the type that a decoded value has in Go. */
export function goType(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (isJsonArray(value)) return "[]interface {}";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return "map[string]interface {}";
}

/** The type of a value in `cannot unmarshal bool into ...`. */
export function jsonName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

const controls = /\\u00([01][0-9a-f])|\\b|[\u007f-\u009f]/g;
const needsHex = /\\u00[01]|\\b|[\u007f-\u009f]/;

function goEscape(found: string, hex: string | undefined): string {
  if (found === "\\b") return "\\b";
  if (hex !== undefined) return namedEscapes[hex] ?? `\\x${hex}`;
  const code = found.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16)}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

const namedEscapes: Readonly<Record<string, string>> = { "07": "\\a", "0b": "\\v" };
