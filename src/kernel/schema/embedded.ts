// Resources inside of resources (x-kubernetes-embedded-resource): their metadata is read like
// that of any resource, and their type and names follow the same rules. The root resource is
// not looked at; whoever stores it does that.

import { invalidField, requiredField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { getOwn, isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { appendAll } from "../append.ts";
import { coerceMetadata } from "./metadata.ts";
import { metadataProblems } from "./metadata-rules.ts";
import type { Schema } from "./schema.ts";
import { childPath } from "./trail.ts";

export interface CoercedResource<T extends Json = Json> {
  readonly value: T;
  /** Paths of unknown fields of embedded metadata, sorted. */
  readonly unknown: readonly string[];
  /** The first embedded type or metadata that cannot be read. */
  readonly error: FieldError | undefined;
}

export function coerceEmbedded(schema: Schema, value: JsonObject): CoercedResource<JsonObject>;
export function coerceEmbedded(schema: Schema, value: Json, path?: string): CoercedResource;
export function coerceEmbedded(schema: Schema, value: Json, path = ""): CoercedResource {
  const walk: Walk = { unknown: [], error: undefined };
  const coerced = coerce(walk, schema, value, path);
  return { value: coerced, unknown: walk.unknown.sort(), error: walk.error };
}

/** What is wrong with the types and the metadata of embedded resources. */
export function embeddedProblems(schema: Schema, value: Json, path = ""): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isJsonArray(value)) {
    const { items } = schema;
    if (items === undefined || !items.hasEmbedded) return errors;
    for (const [i, item] of value.entries()) {
      appendAll(errors, embeddedProblems(items, item, `${path}[${i}]`));
    }
  } else if (isJsonObject(value) && schema.hasEmbedded) {
    if (schema.embeddedResource) appendAll(errors, resourceProblems(value, path));
    for (const key of Object.keys(value)) {
      const [child, at] = childAt(schema, key, path);
      if (child !== undefined) appendAll(errors, embeddedProblems(child, value[key] ?? null, at));
    }
  }
  return errors;
}

interface Walk {
  readonly unknown: string[];
  error: FieldError | undefined;
}

function childAt(schema: Schema, key: string, path: string): [Schema | undefined, string] {
  const property = schema.properties.get(key);
  if (property !== undefined) return [property, childPath(path, key)];
  const additional = schema.additionalProperties;
  return [typeof additional === "object" ? additional : undefined, `${path}[${key}]`];
}

function coerce(walk: Walk, schema: Schema, value: Json, path: string): Json {
  // Few schemas embed anything, and then nothing has to be walked.
  if (typeof value !== "object" || value === null || !schema.hasEmbedded) return value;
  if (isJsonArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return value.map((item, i) => coerce(walk, items, item, `${path}[${i}]`));
  }
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    const read = schema.embeddedResource ? coerceField(walk, key, inner, path) : inner;
    const [child, at] = childAt(schema, key, path);
    setOwn(copy, key, child === undefined ? read : coerce(walk, child, read, at));
  }
  return copy;
}

function coerceField(walk: Walk, key: string, value: Json, path: string): Json {
  if (key === "apiVersion" || key === "kind") {
    if (typeof value !== "string") {
      walk.error ??= invalidField(childPath(path, key), value, "must be a string");
    }
    return value;
  }
  if (key !== "metadata") return value;
  const at = childPath(path, "metadata");
  const { value: metadata, unknown, problem } = coerceMetadata(value, at);
  appendAll(walk.unknown, unknown);
  if (problem !== undefined) walk.error ??= invalidField(at, value, problem);
  return problem === undefined ? metadata : value;
}

function resourceProblems(resource: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["apiVersion", "kind"]) {
    const at = childPath(path, key);
    const value = getOwn(resource, key);
    if (value === undefined) errors.push(requiredField(at));
    else if (typeof value !== "string") errors.push(invalidField(at, value, "must be a string"));
    else if (value === "") errors.push(invalidField(at, value, "must not be empty"));
    else if (key === "kind") errors.push(...kindProblems(value, at));
    else if (value.split("/").length > 2) {
      errors.push(invalidField(at, value, `unexpected GroupVersion string: ${value}`));
    }
  }
  const metadata = getOwn(resource, "metadata");
  if (metadata === undefined) return errors;
  const at = childPath(path, "metadata");
  const { value, problem } = coerceMetadata(metadata, at);
  if (problem === undefined) appendAll(errors, metadataProblems(value, at));
  else errors.push(invalidField(at, metadata, problem));
  return errors;
}

function kindProblems(kind: string, path: string): readonly FieldError[] {
  const syntax = "[a-z]([-a-z0-9]*[a-z0-9])?";
  const problems: string[] = [];
  if (kind.length > 63) problems.push("must be no more than 63 bytes");
  if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(kind.toLowerCase())) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or " +
        `'abc-123', regex used for validation is '${syntax}')`,
    );
  }
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [invalidField(path, kind, detail)];
}
