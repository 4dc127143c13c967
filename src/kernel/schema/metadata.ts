// Metadata of a resource, read as the typed object that it is in Kubernetes: fields that it does
// not have are dropped and reported, and values of a wrong type are an error in the words of
// Go's decoder. What comes out has no empty fields, and times in one form.

import { isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { goNumber, jsonName } from "../go-text.ts";
import { goTimeProblem, normalTime } from "./go-time.ts";
import { formatChild, formatTrail } from "./trail.ts";
import type { Trail } from "./trail.ts";

export interface CoercedMetadata {
  readonly value: JsonObject;
  /** Paths below the metadata, as in `unknown field "metadata.foo"`. */
  readonly unknown: readonly string[];
  /** The first thing that has a wrong type; nothing else is to be used then. */
  readonly problem: string | undefined;
}

/** `path` is in front of what is reported; the resource itself has "metadata". */
export function coerceMetadata(metadata: Json, path = "metadata"): CoercedMetadata {
  const walk: Walk = { path, trail: [], unknown: [], problem: undefined, isOver: false };
  const value = readStruct(walk, objectMeta, metadata);
  return { value: value ?? {}, unknown: walk.unknown, problem: walk.problem };
}

interface Walk {
  readonly path: string;
  readonly trail: Trail;
  readonly unknown: string[];
  problem: string | undefined;
  /** A time that cannot be read ends Go's decoder, whatever was wrong before. */
  isOver: boolean;
}

type Field =
  | { readonly kind: "text" | "integer" | "flag"; readonly type: string; readonly kept?: true }
  | { readonly kind: "time" | "raw" | "texts" | "map" }
  | { readonly kind: "structs"; readonly of: Struct };

interface Struct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
}

const text: Field = { kind: "text", type: "string" };
const keptText: Field = { kind: "text", type: "string", kept: true };
const integer: Field = { kind: "integer", type: "int64" };
const flag: Field = { kind: "flag", type: "bool" };

const ownerReference: Struct = {
  name: "OwnerReference",
  fields: new Map<string, Field>([
    ["apiVersion", keptText],
    ["kind", keptText],
    ["name", keptText],
    ["uid", { kind: "text", type: "types.UID", kept: true }],
    ["controller", flag],
    ["blockOwnerDeletion", flag],
  ]),
};

const managedFields: Struct = {
  name: "ManagedFieldsEntry",
  fields: new Map<string, Field>([
    ["manager", text],
    ["operation", { kind: "text", type: "v1.ManagedFieldsOperationType" }],
    ["apiVersion", text],
    ["time", { kind: "time" }],
    ["fieldsType", text],
    ["fieldsV1", { kind: "raw" }],
    ["subresource", text],
  ]),
};

const objectMeta: Struct = {
  name: "ObjectMeta",
  fields: new Map<string, Field>([
    ["name", text],
    ["generateName", text],
    ["namespace", text],
    ["selfLink", text],
    ["uid", { kind: "text", type: "types.UID" }],
    ["resourceVersion", text],
    ["generation", integer],
    ["creationTimestamp", { kind: "time" }],
    ["deletionTimestamp", { kind: "time" }],
    ["deletionGracePeriodSeconds", integer],
    ["labels", { kind: "map" }],
    ["annotations", { kind: "map" }],
    ["ownerReferences", { kind: "structs", of: ownerReference }],
    ["finalizers", { kind: "texts" }],
    ["managedFields", { kind: "structs", of: managedFields }],
  ]),
};

function readStruct(walk: Walk, struct: Struct, value: Json): JsonObject | undefined {
  const result: MutableJsonObject = {};
  for (const [name, field] of struct.fields) {
    if ("kept" in field) result[name] = "";
  }
  if (value === null) return result;
  if (!isJsonObject(value)) {
    refuse(walk, undefined, jsonName(value), `v1.${struct.name}`);
    return undefined;
  }
  // Kubernetes reads the keys in this order, so that it is which problem comes first.
  for (const key of Object.keys(value).sort()) {
    const field = struct.fields.get(key);
    if (field === undefined) {
      walk.unknown.push(`${walk.path}.${formatChild(walk.trail, key)}`);
      continue;
    }
    walk.trail.push(key);
    const read = readField(walk, struct, field, value[key] ?? null);
    if (read !== undefined) result[key] = read;
    walk.trail.pop();
  }
  return result;
}

/** Undefined for what is left out: nothing, and what is as good as nothing. */
function readField(walk: Walk, struct: Struct, field: Field, value: Json): Json | undefined {
  if (value === null) return undefined;
  switch (field.kind) {
    case "text":
      if (typeof value === "string") return value === "" && field.kept !== true ? undefined : value;
      return refuse(walk, struct, jsonName(value), field.type);
    case "flag":
      if (typeof value === "boolean") return value;
      return refuse(walk, struct, jsonName(value), field.type);
    case "integer":
      return readInteger(walk, struct, value);
    case "time":
      return readTime(walk, struct, value);
    case "raw":
      return value;
    case "texts":
      if (!isJsonArray(value)) return refuse(walk, struct, jsonName(value), "[]string");
      return nonEmptyList(value.map((item) => readText(walk, struct, item)));
    case "map":
      return readMap(walk, struct, value);
    default:
      return readStructs(walk, struct, field.of, value);
  }
}

function readInteger(walk: Walk, struct: Struct, value: Json): Json | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") return refuse(walk, struct, jsonName(value), "int64");
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) {
    return refuse(walk, struct, `number ${goNumber(value)}`, "int64");
  }
  const isPointer = walk.trail.at(-1) === "deletionGracePeriodSeconds";
  return value === 0 && !isPointer ? undefined : value;
}

function readTime(walk: Walk, struct: Struct, value: Json): Json | undefined {
  const problem =
    typeof value === "string"
      ? goTimeProblem(value)
      : refusal(walk, struct, jsonName(value), "string");
  if (problem === undefined && typeof value === "string") return normalTime(value);
  if (!walk.isOver) walk.problem = problem;
  walk.isOver = true;
  return undefined;
}

function readMap(walk: Walk, struct: Struct, value: Json): Json | undefined {
  if (!isJsonObject(value)) return refuse(walk, struct, jsonName(value), "map[string]string");
  const keys = Object.keys(value);
  if (keys.length === 0) return undefined;
  const isSound = keys.every((key) => typeof value[key] === "string");
  if (isSound) return value;
  const map: MutableJsonObject = {};
  for (const key of keys) setOwn(map, key, readText(walk, struct, value[key] ?? null));
  return map;
}

function readStructs(walk: Walk, struct: Struct, of: Struct, value: Json): Json | undefined {
  if (!isJsonArray(value)) return refuse(walk, struct, jsonName(value), `[]v1.${of.name}`);
  const items: Json[] = [];
  for (const [index, item] of value.entries()) {
    walk.trail.push(index);
    if (item === null || isJsonObject(item)) items.push(readStruct(walk, of, item) ?? {});
    else refuse(walk, struct, jsonName(item), `v1.${of.name}`);
    walk.trail.pop();
  }
  // An empty list of managers is a request to forget them, which one empty entry also is.
  const isReset = of === managedFields && walk.path === "metadata" && items.length === 0;
  return isReset ? [{}] : nonEmptyList(items);
}

function readText(walk: Walk, struct: Struct, value: Json): Json {
  if (value === null) return "";
  return typeof value === "string"
    ? value
    : (refuse(walk, struct, jsonName(value), "string") ?? "");
}

function nonEmptyList(list: readonly Json[]): readonly Json[] | undefined {
  return list.length === 0 ? undefined : list;
}

function refuse(walk: Walk, struct: Struct | undefined, found: string, type: string): undefined {
  walk.problem ??= refusal(walk, struct, found, type);
  return undefined;
}

/** Indices are no part of Go's path. */
function refusal(walk: Walk, struct: Struct | undefined, found: string, type: string): string {
  const field = formatTrail(walk.trail.filter((step) => typeof step === "string"));
  const target =
    struct === undefined || field === ""
      ? `Go value of type ${type}`
      : `Go struct field ${struct.name}.${field} of type ${type}`;
  return `json: cannot unmarshal ${found} into ${target}`;
}
