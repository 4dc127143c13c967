// Schemas of API documents: references, and types as short texts.

import type { JsonRecord, JsonValue } from "../../api/types.ts";
import { isRecord, itemsOf, recordAt, textAt } from "./json.ts";

const mostSteps = 20;

/** What a reference leads to; a schema with one part of `allOf` is that part. */
export function resolved(root: JsonRecord, schema: JsonRecord): JsonRecord {
  let at = schema;
  for (let step = 0; step < mostSteps; step += 1) {
    const reference = textAt(at, "$ref");
    const [only, ...more] = itemsOf(at["allOf"]);
    if (reference.startsWith("#/")) at = atPointer(root, reference.slice(2));
    else if (isRecord(only) && more.length === 0 && !Object.hasOwn(at, "properties")) {
      at = { ...at, allOf: undefined, ...only };
    } else return at;
  }
  return at;
}

function atPointer(root: JsonRecord, pointer: string): JsonRecord {
  let at: JsonRecord = root;
  for (const part of pointer.split("/")) {
    at = recordAt(at, decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return at;
}

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonRecord;
}

/** The fields of an object, of the elements of a list, or of the values of a map. */
export function fieldsOf(root: JsonRecord, schema: JsonRecord, depth = 0): readonly Field[] {
  if (depth > mostSteps) return [];
  const found = resolved(root, schema);
  const items = found["items"];
  if (isRecord(items)) return fieldsOf(root, items, depth + 1);
  const parts = itemsOf(found["allOf"]).filter(isRecord);
  const required = new Set(itemsOf(found["required"]));
  const own = Object.entries(recordAt(found, "properties")).flatMap(([name, field]) =>
    isRecord(field) ? [{ name, isRequired: required.has(name), schema: field }] : [],
  );
  const values = found["additionalProperties"];
  const map = own.length === 0 && isRecord(values) ? fieldsOf(root, values, depth + 1) : [];
  return [...parts.flatMap((part) => fieldsOf(root, part, depth + 1)), ...own, ...map];
}

/** "string", "integer (int64)", "list of Container", "map of string". */
export function typeText(root: JsonRecord, schema: JsonRecord, depth = 0): string {
  const name = referenceName(schema);
  const found = resolved(root, schema);
  const { type } = found;
  const format = textAt(found, "format");
  const choices = itemsOf(found["oneOf"] ?? found["anyOf"]).filter(isRecord);
  if (depth < mostSteps && isRecord(found["items"])) {
    return `list of ${typeText(root, found["items"], depth + 1)}`;
  }
  if (name !== "") return name;
  if (depth < mostSteps && isRecord(found["additionalProperties"])) {
    return `map of ${typeText(root, found["additionalProperties"], depth + 1)}`;
  }
  if (depth < mostSteps && type === undefined && choices.length > 0) {
    return [...new Set(choices.map((each) => typeText(root, each, depth + 1)))].join(" or ");
  }
  const types = (typeof type === "string" ? [type] : itemsOf(type)).map(shown);
  const words = types.join(" or ") || "any";
  return format === "" ? words : `${words} (${format})`;
}

/** "io.k8s.api.core.v1.Pod" is Pod. */
function referenceName(schema: JsonRecord): string {
  const only = itemsOf(schema["allOf"])[0];
  const reference = textAt(schema, "$ref") || (isRecord(only) ? textAt(only, "$ref") : "");
  return reference.split("/").at(-1)?.split(".").at(-1) ?? "";
}

/** "one of postgres, mysql; default 10; 1 to 1000" */
export function ruleText(root: JsonRecord, schema: JsonRecord): string {
  const found = resolved(root, schema);
  const values = itemsOf(found["enum"]).map(shown);
  const rules = [
    values.length === 0 ? "" : `one of ${values.join(", ")}`,
    found["default"] === undefined ? "" : `default ${shown(found["default"])}`,
    rangeText(found["minimum"], found["maximum"], ""),
    rangeText(found["minLength"], found["maxLength"], "characters"),
    rangeText(found["minItems"], found["maxItems"], "items"),
    found["pattern"] === undefined ? "" : `matches ${shown(found["pattern"])}`,
    found["readOnly"] === true ? "read-only" : "",
  ];
  return rules.filter((rule) => rule !== "").join("; ");
}

function rangeText(
  least: JsonValue | undefined,
  most: JsonValue | undefined,
  unit: string,
): string {
  const words = unit === "" ? "" : ` ${unit}`;
  if (least !== undefined && most !== undefined) return `${shown(least)} to ${shown(most)}${words}`;
  if (least !== undefined) return `at least ${shown(least)}${words}`;
  return most === undefined ? "" : `at most ${shown(most)}${words}`;
}

function shown(value: JsonValue): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}
