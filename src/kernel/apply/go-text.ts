// Values as Go prints them, for the messages of the Kubernetes API that contain one. Clients show
// and compare these messages, so the form is part of the API however odd it looks.

import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json } from "../json.ts";

/** For people: `map[a:1 b:[x y]]`. */
export function goText(value: Json): string {
  if (value === null) return "<nil>";
  if (isJsonArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key] ?? null)}`);
  return `map[${members.join(" ")}]`;
}

/** For programmers: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (isJsonArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key] ?? null)}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** The name of the type that a decoded value has. */
export function goType(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (isJsonArray(value)) return "[]interface {}";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return "map[string]interface {}";
}
