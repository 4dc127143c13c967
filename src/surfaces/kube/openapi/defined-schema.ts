// The published schema of a kind that comes from a definition. Version 3 keeps everything a
// structural schema says; version 2 knows no alternatives and no null, and old clients take listed
// properties for all there are, so what it cannot say truthfully is left open.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { Kind, KindVersion } from "../../../kernel/kind.ts";
import { definitionName, metaPrefix, reference, v2Reference } from "./reference.ts";
import { apiVersionText, embeddedApiVersionText, embeddedKindText } from "./type-texts.ts";
import { kindText, listItemsText, listMetadataText, metadataText } from "./type-texts.ts";

type Form = "v2" | "v3";

export function definedSchema(kind: Kind, version: KindVersion, form: Form): JsonObject {
  const { schema } = version;
  const isOpen = form === "v2" && getOwn(schema, "x-kubernetes-preserve-unknown-fields") === true;
  const isEmpty = Object.keys(schema).length === 0;
  const extensions = {
    "x-kubernetes-group-version-kind": [gvk(kind, version, kind.names.kind)],
    ...selectable(version),
  };
  if (isEmpty || isOpen) return { type: "object", ...extensions };
  const whole = converted(schema, form);
  const inner = getOwn(whole, "properties");
  const properties: MutableJsonObject = { ...(isJsonObject(inner) ? inner : {}) };
  properties["apiVersion"] = { description: apiVersionText, type: "string" };
  properties["kind"] = { description: kindText, type: "string" };
  properties["metadata"] = metadataSchema(form);
  return { ...whole, properties, ...extensions };
}

export function definedListSchema(kind: Kind, version: KindVersion, form: Form): JsonObject {
  const { plural, kind: itemKind, listKind } = kind.names;
  const items = referenceFor(form)(definitionName(kind.group, version.name, itemKind));
  return {
    description: `${listKind} is a list of ${itemKind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { description: apiVersionText, type: "string" },
      items: { description: listItemsText(plural), items, type: "array" },
      kind: { description: kindText, type: "string" },
      metadata: referenceFor(form)(`${metaPrefix}.ListMeta`, { description: listMetadataText }),
    },
    "x-kubernetes-group-version-kind": [gvk(kind, version, listKind)],
    ...selectable(version),
  };
}

function referenceFor(form: Form): typeof reference {
  return form === "v2" ? v2Reference : reference;
}

function metadataSchema(form: Form): JsonObject {
  return referenceFor(form)(`${metaPrefix}.ObjectMeta`, { description: metadataText });
}

function gvk(kind: Kind, version: KindVersion, name: string): JsonObject {
  return { group: kind.group, kind: name, version: version.name };
}

function selectable({ selectableFields }: KindVersion): JsonObject {
  if (selectableFields.length === 0) return {};
  const fields = selectableFields.map((path) => ({ fieldPath: path.replace(/^\./, "") }));
  return { "x-kubernetes-selectable-fields": fields };
}

/** Keywords that mean the same in both versions. Others are not part of a structural schema. */
const plainKeywords = new Set([
  "type",
  "format",
  "title",
  "description",
  "default",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "required",
]);
const alternatives = ["allOf", "anyOf", "oneOf", "not"];

function converted(schema: JsonObject, form: Form): JsonObject {
  const out: MutableJsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (plainKeywords.has(key) || key.startsWith("x-kubernetes-")) setOwn(out, key, value);
  }
  convertInner(schema, out, form);
  if (form === "v3") {
    for (const key of alternatives) {
      const value = getOwn(schema, key);
      if (value !== undefined) setOwn(out, key, value);
    }
    if (getOwn(schema, "nullable") === true) out["nullable"] = true;
    unfoldIntOrString(schema, out);
  } else restrictToV2(schema, out);
  embed(out, form);
  return out;
}

function convertInner(schema: JsonObject, out: MutableJsonObject, form: Form): void {
  const items = getOwn(schema, "items");
  if (isJsonObject(items)) out["items"] = converted(items, form);
  const properties = getOwn(schema, "properties");
  if (isJsonObject(properties)) {
    const inner: MutableJsonObject = {};
    for (const [name, value] of Object.entries(properties)) {
      setOwn(inner, name, isJsonObject(value) ? converted(value, form) : {});
    }
    out["properties"] = inner;
  }
  const others = getOwn(schema, "additionalProperties");
  if (isJsonObject(others)) out["additionalProperties"] = converted(others, form);
  else if (typeof others === "boolean") out["additionalProperties"] = others;
}

const intOrString: readonly Json[] = [{ type: "integer" }, { type: "string" }];

/** Says in plain keywords what the extension means, unless the author has done so. */
function unfoldIntOrString(schema: JsonObject, out: MutableJsonObject): void {
  if (getOwn(schema, "x-kubernetes-int-or-string") !== true) return;
  const anyOf = getOwn(schema, "anyOf");
  const allOf = getOwn(schema, "allOf");
  const [first] = isJsonArray(allOf) ? allOf : [];
  if (isIntOrString(anyOf)) return;
  if (isJsonObject(first) && isIntOrString(getOwn(first, "anyOf"))) return;
  if (anyOf === undefined) out["anyOf"] = intOrString;
  else out["allOf"] = [{ anyOf: intOrString }, ...(isJsonArray(allOf) ? allOf : [])];
}

function isIntOrString(anyOf: Json | undefined): boolean {
  if (!isJsonArray(anyOf) || anyOf.length !== 2) return false;
  const [first, second] = anyOf.map((item) => (isJsonObject(item) ? getOwn(item, "type") : null));
  return first === "integer" && second === "string";
}

function restrictToV2(schema: JsonObject, out: MutableJsonObject): void {
  delete out["default"];
  const isNullable = getOwn(schema, "nullable") === true;
  const isOpen = getOwn(schema, "x-kubernetes-preserve-unknown-fields") === true;
  const nullable = nullableProperties(schema);
  if (isNullable || isOpen) {
    delete out["items"];
    delete out["properties"];
  }
  if (isNullable) delete out["type"];
  if (out["items"] === undefined && out["type"] === "array") delete out["type"];
  if (isOpen && out["type"] === "object") delete out["type"];
  const others = getOwn(schema, "additionalProperties");
  const required = getOwn(schema, "required");
  if (!isJsonArray(required)) return;
  const isDropped = isJsonObject(others) && getOwn(others, "nullable") === true;
  const kept = isNullable || isOpen ? required : required.filter((name) => !nullable.has(name));
  if (isDropped || kept.length === 0) delete out["required"];
  else out["required"] = kept;
}

function nullableProperties(schema: JsonObject): ReadonlySet<Json> {
  const properties = getOwn(schema, "properties");
  if (!isJsonObject(properties)) return new Set();
  const entries = Object.entries(properties);
  return new Set(
    entries
      .filter(([, value]) => isJsonObject(value) && getOwn(value, "nullable") === true)
      .map(([name]) => name),
  );
}

/** An embedded resource has the type and metadata of a whole one. */
function embed(out: MutableJsonObject, form: Form): void {
  if (out["x-kubernetes-embedded-resource"] !== true) return;
  if (form === "v2" && out["x-kubernetes-preserve-unknown-fields"] === true) return;
  const inner = out["properties"];
  out["properties"] = {
    ...(isJsonObject(inner) ? inner : {}),
    apiVersion: { description: embeddedApiVersionText, type: "string" },
    kind: { description: embeddedKindText, type: "string" },
    metadata: metadataSchema(form),
  };
  const known = out["required"];
  const required = isJsonArray(known) ? [...known] : [];
  for (const name of ["kind", "apiVersion"]) if (!required.includes(name)) required.push(name);
  out["required"] = required;
}
