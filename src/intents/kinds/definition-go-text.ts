// How Kubernetes writes versions and schemas of a definition into an error message: as JSON of its
// internal types, with every field present under the name it has in Go. Clients compare messages,
// so these tables spell the types out.

import { canonicalJson } from "../../kernel/canonical-json.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { InternalVersion } from "./definition-internal-form.ts";

type Encode = (value: Json | undefined) => string;
/** The name in Go, the key in the document, and how the value is written. */
type Field = readonly [name: string, key: string, encode: Encode];

const plain: Encode = (value) => escaped(canonicalJson(value ?? null));
const text: Encode = (value) => plain(value ?? "");
const flag: Encode = (value) => plain(value ?? false);
const whole: Encode = (value) => plain(value ?? 0);
const schema: Encode = (value) => (isJsonObject(value) ? goSchema(value) : "null");

const docs = struct(["Description", "description", text], ["URL", "url", text]);

const rule = struct(
  ["Rule", "rule", text],
  ["Message", "message", text],
  ["MessageExpression", "messageExpression", text],
  ["Reason", "reason", plain],
  ["FieldPath", "fieldPath", text],
  ["OptionalOldSelf", "optionalOldSelf", plain],
);

/** In the order of the Go type, which also decides which field is blamed first. */
export const schemaFields: readonly Field[] = [
  ["ID", "id", text],
  ["Schema", "$schema", text],
  ["Ref", "$ref", plain],
  ["Description", "description", text],
  ["Type", "type", text],
  ["Nullable", "nullable", flag],
  ["Format", "format", text],
  ["Title", "title", text],
  ["Default", "default", plain],
  ["Maximum", "maximum", plain],
  ["ExclusiveMaximum", "exclusiveMaximum", flag],
  ["Minimum", "minimum", plain],
  ["ExclusiveMinimum", "exclusiveMinimum", flag],
  ["MaxLength", "maxLength", plain],
  ["MinLength", "minLength", plain],
  ["Pattern", "pattern", text],
  ["MaxItems", "maxItems", plain],
  ["MinItems", "minItems", plain],
  ["UniqueItems", "uniqueItems", flag],
  ["MultipleOf", "multipleOf", plain],
  ["Enum", "enum", plain],
  ["MaxProperties", "maxProperties", plain],
  ["MinProperties", "minProperties", plain],
  ["Required", "required", plain],
  ["Items", "items", schemaOrList],
  ["AllOf", "allOf", listOf(schema)],
  ["OneOf", "oneOf", listOf(schema)],
  ["AnyOf", "anyOf", listOf(schema)],
  ["Not", "not", schema],
  ["Properties", "properties", mapOf(schema)],
  ["AdditionalProperties", "additionalProperties", schemaOrFlag],
  ["PatternProperties", "patternProperties", mapOf(schema)],
  ["Dependencies", "dependencies", mapOf(schemaOrTexts)],
  ["AdditionalItems", "additionalItems", schemaOrFlag],
  ["Definitions", "definitions", mapOf(schema)],
  ["ExternalDocs", "externalDocs", docs],
  ["Example", "example", plain],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", plain],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", flag],
  ["XIntOrString", "x-kubernetes-int-or-string", flag],
  ["XListMapKeys", "x-kubernetes-list-map-keys", plain],
  ["XListType", "x-kubernetes-list-type", plain],
  ["XMapType", "x-kubernetes-map-type", plain],
  ["XValidations", "x-kubernetes-validations", listOf(rule)],
];

const scale = struct(
  ["SpecReplicasPath", "specReplicasPath", text],
  ["StatusReplicasPath", "statusReplicasPath", text],
  ["LabelSelectorPath", "labelSelectorPath", plain],
);
const subresources = struct(["Status", "status", struct()], ["Scale", "scale", scale]);
const column = struct(
  ["Name", "name", text],
  ["Type", "type", text],
  ["Format", "format", text],
  ["Description", "description", text],
  ["Priority", "priority", whole],
  ["JSONPath", "jsonPath", text],
);
const selectable = struct(["JSONPath", "jsonPath", text]);
const validation = struct(["OpenAPIV3Schema", "openAPIV3Schema", schema]);
const head: readonly Field[] = [
  ["Name", "name", text],
  ["Served", "served", flag],
  ["Storage", "storage", flag],
  ["Deprecated", "deprecated", flag],
  ["DeprecationWarning", "deprecationWarning", plain],
];

export function goVersions(versions: readonly InternalVersion[]): string {
  return `[${versions.map(goVersion).join(",")}]`;
}

function goVersion({ document, parts }: InternalVersion): string {
  const own = [
    `"Schema":${validation(parts.validation)}`,
    `"Subresources":${subresources(parts.subresources)}`,
    `"AdditionalPrinterColumns":${listOf(column)(parts.columns)}`,
    `"SelectableFields":${listOf(selectable)(parts.selectableFields)}`,
  ];
  return `{${[...pairs(head, document), ...own].join(",")}}`;
}

export function goSchema(value: JsonObject): string {
  return `{${pairs(schemaFields, value).join(",")}}`;
}

function pairs(fields: readonly Field[], value: JsonObject): readonly string[] {
  return fields.map(
    ([name, key, encode]) => `"${name}":${encode(getOwn(value, key) ?? undefined)}`,
  );
}

function struct(...fields: readonly Field[]): Encode {
  return (value) => (isJsonObject(value) ? `{${pairs(fields, value).join(",")}}` : "null");
}

function listOf(encode: Encode): Encode {
  return (value) => (isJsonArray(value) ? `[${value.map(encode).join(",")}]` : "null");
}

function mapOf(encode: Encode): Encode {
  return (value) => {
    if (!isJsonObject(value)) return "null";
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${plain(name)}:${encode(getOwn(value, name))}`).join(",")}}`;
  };
}

function schemaOrList(value: Json | undefined): string {
  if (value === undefined) return "null";
  const list = isJsonArray(value) ? listOf(schema)(value) : "null";
  return `{"Schema":${schema(value)},"JSONSchemas":${list}}`;
}

function schemaOrFlag(value: Json | undefined): string {
  if (value === undefined) return "null";
  return `{"Allows":${value !== false},"Schema":${schema(value)}}`;
}

function schemaOrTexts(value: Json | undefined): string {
  const list = isJsonArray(value) ? plain(value) : "null";
  return `{"Schema":${schema(value)},"Property":${list}}`;
}

/** Go escapes what would be markup in HTML. */
function escaped(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
