// The view of a schema that merging needs: which values are scalars, which lists and maps are one
// value (atomic) and which are merged item by item. It is made from an OpenAPI schema with its
// x-kubernetes-* keys and remembered per schema object. A value may have several shapes when its
// schema names none; what the schema does not know is deduced: maps are merged, lists are not.

import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { fieldElement } from "./field-element.ts";

export type ScalarType = "string" | "numeric" | "boolean" | "untyped";

export interface TypeNode {
  readonly scalar: ScalarType | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

export interface ListType {
  /** A set has scalar items, a map has objects told apart by their keys. */
  readonly kind: "atomic" | "set" | "map";
  /** Sorted; empty unless the kind is "map". */
  readonly keys: readonly string[];
  readonly item: TypeNode;
}

export interface MapType {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of keys that are no field; undefined when there may be none. */
  readonly element: TypeNode | undefined;
}

export interface FieldType {
  readonly type: TypeNode;
  readonly default: Json | undefined;
  /** The path element of the field, made once. */
  readonly element: string;
}

/** The type of whole objects of a kind: its schema, with the type of metadata that all share. */
export function objectType(schema: JsonObject | undefined): TypeNode {
  if (schema === undefined) return deducedObject;
  const known = objectTypes.get(schema);
  if (known !== undefined) return known;
  const type = withObjectFields(typeOf(schema, false));
  objectTypes.set(schema, type);
  return type;
}

/** The type of a key of a map, or undefined when the schema has no place for it. */
export function keyType(map: MapType, key: string): TypeNode | undefined {
  return map.fields.get(key)?.type ?? map.element;
}

const noFields: ReadonlyMap<string, FieldType> = new Map();

function mapType(element: TypeNode | undefined, fields = noFields, isAtomic = false): MapType {
  return { isAtomic, fields, element };
}

function scalarType(scalar: ScalarType): TypeNode {
  return { scalar, list: undefined, map: undefined };
}

function listOf(kind: ListType["kind"], item: TypeNode, keys: readonly string[] = []): TypeNode {
  return { scalar: undefined, list: { kind, keys: [...keys].sort(), item }, map: undefined };
}

function mapOf(map: MapType): TypeNode {
  return { scalar: undefined, list: undefined, map };
}

function fieldsOf(entries: Readonly<Record<string, TypeNode>>): ReadonlyMap<string, FieldType> {
  const fields = new Map<string, FieldType>();
  for (const [name, type] of Object.entries(entries)) fields.set(name, fieldOf(name, type));
  return fields;
}

function fieldOf(name: string, type: TypeNode, byDefault?: Json): FieldType {
  return { type, default: byDefault, element: fieldElement(name) };
}

/** Anything at all, and one value whatever it is. */
const untyped: TypeNode = makeUntyped();

/** Anything at all: objects are merged key by key, lists are one value. */
export const deducedType: TypeNode = makeDeduced();

function makeUntyped(): TypeNode {
  const node: { -readonly [K in keyof TypeNode]: TypeNode[K] } = { ...scalarType("untyped") };
  node.list = { kind: "atomic", keys: [], item: node };
  node.map = mapType(node, noFields, true);
  return node;
}

function makeDeduced(): TypeNode {
  const node: { -readonly [K in keyof TypeNode]: TypeNode[K] } = { ...scalarType("untyped") };
  node.list = { kind: "atomic", keys: [], item: untyped };
  node.map = mapType(node);
  return node;
}

const text = scalarType("string");
const numeric = scalarType("numeric");
const boolean = scalarType("boolean");
const anyScalar = scalarType("untyped");
const textMap = mapOf(mapType(text));

const ownerReference = mapOf(
  mapType(
    undefined,
    fieldsOf({
      apiVersion: text,
      kind: text,
      name: text,
      uid: text,
      controller: boolean,
      blockOwnerDeletion: boolean,
    }),
    true,
  ),
);

const managedFieldsEntry = mapOf(
  mapType(
    undefined,
    fieldsOf({
      manager: text,
      operation: text,
      apiVersion: text,
      time: anyScalar,
      fieldsType: text,
      fieldsV1: mapOf(mapType(deducedType)),
      subresource: text,
    }),
  ),
);

/** The type of `metadata` in every object. */
export const objectMetaType: TypeNode = mapOf(
  mapType(
    undefined,
    fieldsOf({
      name: text,
      generateName: text,
      namespace: text,
      selfLink: text,
      uid: text,
      resourceVersion: text,
      generation: numeric,
      creationTimestamp: anyScalar,
      deletionTimestamp: anyScalar,
      deletionGracePeriodSeconds: numeric,
      labels: textMap,
      annotations: textMap,
      ownerReferences: listOf("map", ownerReference, ["uid"]),
      finalizers: listOf("set", text),
      managedFields: listOf("atomic", managedFieldsEntry),
    }),
  ),
);

const objectFields = fieldsOf({ apiVersion: text, kind: text, metadata: objectMetaType });
const deducedObject = withObjectFields(deducedType);
const objectTypes = new WeakMap<JsonObject, TypeNode>();

function withObjectFields(type: TypeNode): TypeNode {
  const map = type.map ?? mapType(deducedType);
  return mapOf({ ...map, fields: new Map([...map.fields, ...objectFields]) });
}

function typeOf(schema: JsonObject, isPreserving: boolean): TypeNode {
  const preserves = isPreserving || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-int-or-string"] === true) return anyScalar;
  switch (schema["type"]) {
    case "object":
      return mapOf(mapTypeOf(schema, preserves));
    case "array":
      return { scalar: undefined, list: listTypeOf(schema, preserves), map: undefined };
    case "string":
      return isPlainText(schema["format"]) ? text : anyScalar;
    case "integer":
    case "number":
      return numeric;
    case "boolean":
      return boolean;
    default:
      return {
        scalar: "untyped",
        list: listTypeOf(schema, preserves),
        map: mapTypeOf(schema, preserves),
      };
  }
}

function isPlainText(format: Json | undefined): boolean {
  return format === undefined || format === "" || format === "byte";
}

function mapTypeOf(schema: JsonObject, preserves: boolean): MapType {
  const fields = new Map<string, FieldType>();
  const properties = schema["properties"];
  if (isJsonObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      if (!isJsonObject(property)) continue;
      const type = typeOf(property, preserves);
      fields.set(name, fieldOf(name, type, getOwn(property, "default")));
    }
  }
  const element = elementTypeOf(schema, preserves, fields.size === 0);
  const map = mapType(element, fields, schema["x-kubernetes-map-type"] === "atomic");
  if (schema["x-kubernetes-embedded-resource"] !== true) return map;
  return { ...map, fields: new Map([...fields, ...objectFields]) };
}

function elementTypeOf(
  schema: JsonObject,
  preserves: boolean,
  isBare: boolean,
): TypeNode | undefined {
  const additional = schema["additionalProperties"];
  if (isJsonObject(additional)) return typeOf(additional, preserves);
  if (additional === true) return deducedType;
  if (additional === false) return undefined;
  return preserves || isBare ? deducedType : undefined;
}

function listTypeOf(schema: JsonObject, preserves: boolean): ListType {
  const items = schema["items"];
  const item = isJsonObject(items) ? typeOf(items, preserves) : untyped;
  const { kind, keys } = listKindOf(schema);
  return { kind, keys: [...keys].sort(), item };
}

function listKindOf(schema: JsonObject): Pick<ListType, "kind" | "keys"> {
  const declared = schema["x-kubernetes-list-type"];
  if (declared === "set") return { kind: "set", keys: [] };
  if (declared === "map") {
    const keys = schema["x-kubernetes-list-map-keys"];
    const names = isJsonArray(keys) ? keys.filter((key) => typeof key === "string") : [];
    return names.length > 0 ? { kind: "map", keys: names } : { kind: "atomic", keys: [] };
  }
  const strategy = schema["x-kubernetes-patch-strategy"];
  const merges = strategy === "merge" || strategy === "merge,retainKeys";
  if (declared !== undefined || !merges) return { kind: "atomic", keys: [] };
  const key = schema["x-kubernetes-patch-merge-key"];
  return typeof key === "string" ? { kind: "map", keys: [key] } : { kind: "set", keys: [] };
}
