// Holds recorded exchanges against a Swagger 2.0 document: each must be an operation of it, with an
// answer that it names, a body of the right shape both ways, with nothing in an answer that it does
// not describe, and nothing read-only missing from what it requires. Only what documents of faces
// use is understood.
import { isJsonArray, isJsonObject } from "../../src/kernel/json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textsAt, valueAt } from "../../src/kernel/json-read.ts";
import { getAt, parsePointer } from "../../src/kernel/pointer.ts";

export interface RecordedExchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly sent: Json | undefined;
  readonly status: number;
  readonly received: Json | undefined;
}

/** What is wrong with it; nothing when the document allows it. */
export function swaggerProblems(document: JsonObject, one: RecordedExchange): readonly string[] {
  const operation = operationOf(document, one);
  if (operation === undefined) return [`${one.method} ${one.path} is no operation`];
  const problems: string[] = [];
  const schema = objectsAt(operation, "parameters").find((each) => each["in"] === "body");
  if (one.status < 400 && schema !== undefined) {
    check({ document, problems, isSent: true }, objectAt(schema, "schema"), one.sent, "sent");
  }
  const responses = objectAt(operation, "responses");
  const isError = one.status >= 400;
  const response = responses[String(one.status)] ?? (isError ? responses["default"] : undefined);
  if (response === undefined) return [...problems, `the status ${one.status} is not named`];
  const shape = valueAt(response, "schema");
  if (isJsonObject(shape)) {
    check({ document, problems, isSent: false }, shape, one.received, "received");
  } else if (one.received !== undefined) problems.push("received: there should be no body");
  return problems;
}

function operationOf(
  document: JsonObject,
  { method, path }: RecordedExchange,
): JsonObject | undefined {
  for (const [template, item] of Object.entries(objectAt(document, "paths"))) {
    const pattern = template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
    const found = valueAt(item, method.toLowerCase());
    if (new RegExp(`^${pattern}$`, "i").test(path) && isJsonObject(found)) return found;
  }
  return undefined;
}

interface Check {
  readonly document: JsonObject;
  readonly problems: string[];
  readonly isSent: boolean;
}

function check(run: Check, schema: JsonObject, value: Json | undefined, at: string): void {
  checkPart(run, schema, value, at);
  const known = run.isSent || !isJsonObject(value) ? undefined : describedFields(run, schema);
  for (const key of known === undefined ? [] : Object.keys(value as JsonObject)) {
    if (known?.has(key) === false) run.problems.push(`${at}.${key}: is not described`);
  }
}

/** Undefined where there may be others besides. */
function describedFields(run: Check, schema: JsonObject): ReadonlySet<string> | undefined {
  const { $ref: reference, additionalProperties } = schema;
  if (typeof reference === "string") {
    const target = getAt(run.document, parsePointer(reference.slice(1)));
    return isJsonObject(target) ? describedFields(run, target) : undefined;
  }
  if (additionalProperties !== undefined) return undefined;
  const parts = objectsAt(schema, "allOf").map((part) => describedFields(run, part));
  const own = Object.keys(objectAt(schema, "properties"));
  if (parts.includes(undefined) || (parts.length === 0 && own.length === 0)) return undefined;
  return parts.reduce<Set<string>>((all, part) => all.union(part ?? new Set()), new Set(own));
}

function checkPart(run: Check, schema: JsonObject, value: Json | undefined, at: string): void {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const target = getAt(run.document, parsePointer(reference.slice(1)));
    if (isJsonObject(target)) checkPart(run, target, value, at);
    else run.problems.push(`${reference} leads nowhere`);
    return;
  }
  if (value === null && schema["x-nullable"] === true) return;
  for (const part of objectsAt(schema, "allOf")) checkPart(run, part, value, at);
  if (value === undefined) {
    run.problems.push(`${at}: is missing`);
    return;
  }
  const { type, enum: choices } = schema;
  if (typeof type === "string" && !hasType(type, value)) run.problems.push(`${at}: is no ${type}`);
  if (isJsonArray(choices) && !choices.includes(value)) run.problems.push(`${at}: is no choice`);
  if (schema["x-ms-secret"] === true && !run.isSent) run.problems.push(`${at}: shows a secret`);
  const items = schema["items"];
  if (isJsonArray(value) && isJsonObject(items)) {
    for (const [index, item] of value.entries()) check(run, items, item, `${at}[${index}]`);
  }
  if (isJsonObject(value)) checkFields(run, schema, value, at);
}

function checkFields(run: Check, schema: JsonObject, value: JsonObject, at: string): void {
  for (const key of textsAt(schema, "required")) {
    if (!Object.hasOwn(value, key)) run.problems.push(`${at}.${key}: is required`);
  }
  for (const [key, field] of Object.entries(objectAt(schema, "properties"))) {
    if (isJsonObject(field) && Object.hasOwn(value, key)) {
      check(run, field, value[key], `${at}.${key}`);
    }
  }
}

function hasType(type: string, value: Json): boolean {
  switch (type) {
    case "object":
      return isJsonObject(value);
    case "array":
      return isJsonArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
