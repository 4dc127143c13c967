// Holds recorded exchanges against a Swagger 2.0 document: each must be an operation of it, with an
// answer that it names, and bodies of the right shape both ways. What is answered has no field that
// is not declared, shows no secret, and lacks nothing that is required. What is sent and accepted
// is within the limits that the document names; read-only fields may be sent, since clients send
// back what they have read. Only what documents of faces use is understood.
import { getOwn, isJsonArray, isJsonObject } from "../../src/kernel/json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textsAt, valueAt } from "../../src/kernel/json-read.ts";
import { getAt, parsePointer } from "../../src/kernel/pointer.ts";

export interface RecordedExchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Undefined also for what is no JSON. */
  readonly sent: Json | undefined;
  readonly status: number;
  readonly received: Json | undefined;
}

/** What is wrong with it; nothing when the document allows it. */
export function swaggerProblems(document: JsonObject, one: RecordedExchange): readonly string[] {
  const operation = operationOf(document, one);
  const isError = one.status >= 400;
  const problems: string[] = [];
  const answer = { document, problems, isSent: false };
  if (operation === undefined) {
    if (!isError) return [`${one.method} ${one.path} is no operation`];
    check(answer, failure, one.received, "received");
    return problems;
  }
  const body = objectsAt(operation, "parameters").find((each) => each["in"] === "body");
  const isSentAtAll = one.sent !== undefined || body?.["required"] === true;
  if (!isError && body !== undefined && isSentAtAll) {
    check({ document, problems, isSent: true }, objectAt(body, "schema"), one.sent, "sent");
  }
  const responses = objectAt(operation, "responses");
  const response = responses[String(one.status)] ?? (isError ? responses["default"] : undefined);
  if (response === undefined) return [...problems, `the status ${one.status} is not named`];
  const shape = valueAt(response, "schema");
  if (isJsonObject(shape)) check(answer, shape, one.received, "received");
  else if (one.received !== undefined) problems.push("received: there should be no body");
  return problems;
}

const failure: JsonObject = { $ref: "#/definitions/ErrorResponse" };

interface Path {
  readonly pattern: RegExp;
  readonly item: Json;
}

/** Many exchanges are held against one document. */
const pathsOf = new WeakMap<JsonObject, readonly Path[]>();

function operationOf(
  document: JsonObject,
  { method, path }: RecordedExchange,
): JsonObject | undefined {
  const paths = pathsOf.get(document) ?? compiledPaths(document);
  pathsOf.set(document, paths);
  for (const { pattern, item } of paths) {
    const found = valueAt(item, method.toLowerCase());
    if (isJsonObject(found) && pattern.test(path)) return found;
  }
  return undefined;
}

function compiledPaths(document: JsonObject): readonly Path[] {
  return Object.entries(objectAt(document, "paths")).map(([template, item]) => {
    const pattern = template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
    return { pattern: new RegExp(`^${pattern}$`, "i"), item };
  });
}

interface Check {
  readonly document: JsonObject;
  readonly problems: string[];
  readonly isSent: boolean;
}

function check(run: Check, schema: JsonObject, value: Json | undefined, at: string): void {
  if (value === undefined) {
    run.problems.push(`${at}: is missing`);
    return;
  }
  // A null takes away what is there.
  if (value === null && run.isSent) return;
  const parts = partsOf(run.document, schema);
  for (const part of parts) run.problems.push(...partProblems(part, value, run.isSent, at));
  const items = parts.map((part) => part["items"]).find(isJsonObject);
  if (isJsonArray(value) && items !== undefined) {
    for (const [index, item] of value.entries()) check(run, items, item, `${at}[${index}]`);
  }
  if (isJsonObject(value)) checkFields(run, parts, value, at);
}

/** The schema with what it refers to and all that is laid together with it. */
function partsOf(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const target = getAt(document, parsePointer(reference.slice(1)));
    if (!isJsonObject(target)) throw new Error(`${reference} leads nowhere`);
    return partsOf(document, target);
  }
  return [schema, ...objectsAt(schema, "allOf").flatMap((part) => partsOf(document, part))];
}

function partProblems(
  schema: JsonObject,
  value: Json,
  isSent: boolean,
  at: string,
): readonly string[] {
  const { type, enum: choices } = schema;
  const problems: string[] = [];
  if (typeof type === "string" && !hasType(type, value)) problems.push(`${at}: is no ${type}`);
  if (isJsonArray(choices) && !choices.includes(value)) problems.push(`${at}: is no choice`);
  if (schema["x-ms-secret"] === true && !isSent) problems.push(`${at}: shows a secret`);
  for (const [word, isKept] of Object.entries(bounds)) {
    const bound = getOwn(schema, word);
    if (bound !== undefined && !isKept(value, bound)) problems.push(`${at}: is beyond ${word}`);
  }
  return problems;
}

const bounds: Readonly<Record<string, (value: Json, bound: Json) => boolean>> = {
  pattern: (value, bound) =>
    typeof value !== "string" || new RegExp(bound as string, "u").test(value),
  minLength: (value, bound) =>
    typeof value !== "string" || Array.from(value).length >= Number(bound),
  maxLength: (value, bound) =>
    typeof value !== "string" || Array.from(value).length <= Number(bound),
  minimum: (value, bound) => typeof value !== "number" || value >= Number(bound),
  maximum: (value, bound) => typeof value !== "number" || value <= Number(bound),
  minItems: (value, bound) => !isJsonArray(value) || value.length >= Number(bound),
  maxItems: (value, bound) => !isJsonArray(value) || value.length <= Number(bound),
};

function checkFields(
  run: Check,
  parts: readonly JsonObject[],
  value: JsonObject,
  at: string,
): void {
  for (const key of parts.flatMap((part) => textsAt(part, "required"))) {
    if (!Object.hasOwn(value, key)) run.problems.push(`${at}.${key}: is required`);
  }
  const hasFields = parts.some((part) => getOwn(part, "properties") !== undefined);
  const open = parts.map((part) => part["additionalProperties"]).find((each) => each !== undefined);
  for (const [key, inner] of Object.entries(value)) {
    const place = `${at}.${key}`;
    const field = parts.map((part) => getOwn(objectAt(part, "properties"), key)).find(isJsonObject);
    if (field !== undefined) check(run, field, inner, place);
    else if (isJsonObject(open)) check(run, open, inner, place);
    else if (open === undefined && hasFields && !run.isSent) {
      run.problems.push(`${place}: is not declared`);
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
