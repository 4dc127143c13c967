// The schema of `properties` in the words of Swagger 2.0, as generators of Azure clients read it:
// what can only be read, what is fixed at creation and what is never shown. Rules that Swagger
// cannot say, such as those in CEL, are left out: a document promises no more than it can.

import { fieldRuleKey } from "../../../intents/kinds/definition-field-rules.ts";
import { getOwn, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, textsAt } from "../../../kernel/json-read.ts";
import { hiddenKey } from "../../../modules/resource-provider/faces/hidden-properties.ts";

export interface SwaggerSchemaOptions {
  /** Of the type, for the names of enumerations. */
  readonly name: string;
  /**
   * For bodies of PATCH: nothing is required, nothing has a default, what is fixed at creation is
   * not there, and null takes away what need not be there.
   */
  readonly isPatch?: boolean;
  /** For answers of actions: whatever is in them is there to be read, and nothing is written. */
  readonly isAnswer?: boolean;
}

export function swaggerSchema(schema: JsonObject, options: SwaggerSchemaOptions): JsonObject {
  const result: MutableJsonObject = {};
  for (const key of sameWords) {
    const value = getOwn(schema, key);
    if (value === undefined || (key === "default" && options.isPatch === true)) continue;
    if (key === "format" && !formats.has(value)) continue;
    setOwn(result, key, value);
  }
  if (schema["nullable"] === true) result["x-nullable"] = true;
  const choices = getOwn(schema, "enum");
  if (choices !== undefined && schema["type"] === "string") {
    result["x-ms-enum"] = { name: options.name, modelAsString: true };
  }
  const rule = getOwn(schema, fieldRuleKey);
  const hiding = getOwn(schema, hiddenKey);
  const words = hiding === undefined ? ruleWords(rule) : hiddenWords(rule, hiding);
  Object.assign(result, options.isAnswer === true ? answerWords(rule) : words);
  const items = getOwn(schema, "items");
  if (isJsonObject(items)) {
    // A merge patch replaces a list as a whole, so its items are whole as well.
    const whole = { ...options, isPatch: false, name: `${options.name}Item` };
    result["items"] = swaggerSchema(items, whole);
    const keys = textsAt(schema, "x-kubernetes-list-map-keys");
    if (keys.length > 0) result["x-ms-identifiers"] = keys;
    else result["x-ms-identifiers"] = [];
  }
  return { ...result, ...objectParts(schema, options) };
}

/** "clusterProfile" as "ClusterProfile". */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const sameWords = [
  "type",
  "format",
  "title",
  "description",
  "default",
  "enum",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
] as const;

/** Those that generators of clients know; for others the type must do. */
const formats: ReadonlySet<unknown> = new Set([
  "int32",
  "int64",
  "float",
  "double",
  "byte",
  "date",
  "date-time",
  "duration",
  "password",
  "uri",
  "uuid",
]);

function objectParts(schema: JsonObject, options: SwaggerSchemaOptions): JsonObject {
  const fields = objectAt(schema, "properties");
  const { isAnswer = false, isPatch = false } = options;
  const result: MutableJsonObject = {};
  const shown: MutableJsonObject = {};
  for (const [key, field] of Object.entries(fields)) {
    if (!isJsonObject(field) || (isPatch && field[fieldRuleKey] === "create-only")) continue;
    const part = swaggerSchema(field, { ...options, name: options.name + capital(key) });
    const mayGo = isPatch && isRemovable(schema, key, field);
    setOwn(shown, key, mayGo ? { ...part, "x-nullable": true } : part);
  }
  if (Object.keys(shown).length > 0) result["properties"] = shown;
  // A client cannot be asked for what it may not write.
  const required = textsAt(schema, "required").filter((key) => {
    const field = getOwn(fields, key);
    return isJsonObject(field) && (isAnswer || field[fieldRuleKey] !== "read-only");
  });
  if (required.length > 0 && !isPatch) result["required"] = required;
  const open = getOwn(schema, "additionalProperties");
  if (isJsonObject(open)) {
    result["additionalProperties"] = swaggerSchema(open, {
      ...options,
      name: `${options.name}Value`,
    });
  } else if (open === true || schema["x-kubernetes-preserve-unknown-fields"] === true) {
    result["additionalProperties"] = true;
  }
  return result;
}

/** What is required and has no default would be missing. */
function isRemovable(schema: JsonObject, key: string, field: JsonObject): boolean {
  if (field[fieldRuleKey] === "read-only") return false;
  return !textsAt(schema, "required").includes(key) || getOwn(field, "default") !== undefined;
}

function answerWords(rule: Json | undefined): JsonObject {
  return rule === "secret" ? { "x-ms-secret": true } : {};
}

/** Of what the version itself would show. */
function hiddenWords(rule: Json | undefined, hiding: Json): JsonObject {
  const words = ruleWords(hiding);
  if (rule === "create-only") return { ...words, "x-ms-mutability": ["create"] };
  return rule === "read-only" ? ruleWords(rule) : words;
}

function ruleWords(rule: Json | undefined): JsonObject {
  switch (rule) {
    case "read-only":
      return { readOnly: true };
    case "create-only":
      return { "x-ms-mutability": ["create", "read"] };
    case "secret":
      return { "x-ms-secret": true, "x-ms-mutability": ["create", "update"] };
    case "write-only":
      return { "x-ms-mutability": ["create", "update"] };
    default:
      return {};
  }
}
