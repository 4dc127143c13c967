// Strategic merge patch, the patch of the built-in kinds: like a merge patch, but lists whose
// schema says so are merged item by item, and directives delete, replace, retain and order.
// Inputs are never changed. A patch that cannot be applied is refused in the words and with the
// status of the Kubernetes API; 500 is what it answers where it has no better idea.

import { goType } from "./go-text.ts";
import { getOwn, isJsonArray, isJsonObject, setOwn } from "./json.ts";
import type { Json, JsonObject, MutableJsonObject } from "./json.ts";
import {
  PatchRefusal,
  unknownDirective,
  checkedOrder,
  inOrder,
  mergedInOrder,
  mergedList,
} from "./strategic-lists.ts";
import type { ListMerge } from "./strategic-lists.ts";

export type StrategicOutcome =
  | { readonly kind: "patched"; readonly object: JsonObject }
  | {
      readonly kind: "refused";
      readonly status: 400 | 422 | 500;
      readonly message: string;
      /** The message without the values that it quotes. */
      readonly plain: string;
    };

/** The schema is OpenAPI with x-kubernetes-patch-strategy and -merge-key; metadata is known. */
export function applyStrategicMergePatch(
  original: JsonObject,
  patch: JsonObject,
  schema: JsonObject | undefined,
): StrategicOutcome {
  try {
    return { kind: "patched", object: mergedMap(original, patch, withMetadata(schema)) };
  } catch (error) {
    if (!(error instanceof PatchRefusal)) throw error;
    const { status, message, plain } = error;
    return { kind: "refused", status, message, plain };
  }
}

const directive = "$patch";
const retainKeys = "$retainKeys";
const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

const metadataSchema: JsonObject = {
  type: "object",
  properties: {
    ownerReferences: {
      type: "array",
      items: { type: "object" },
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "uid",
    },
    finalizers: {
      type: "array",
      items: { type: "string" },
      "x-kubernetes-patch-strategy": "merge",
    },
  },
};

function withMetadata(schema: JsonObject | undefined): JsonObject {
  const properties = schema?.["properties"];
  const known = isJsonObject(properties) ? properties : {};
  return { ...schema, properties: { ...known, metadata: metadataSchema } };
}

function mergedMap(
  original: JsonObject,
  patch: JsonObject,
  schema: JsonObject | undefined,
): JsonObject {
  const asked = getOwn(patch, directive);
  if (asked !== undefined) return directed(asked, patch);
  const kept = retained(original, patch);
  const out: MutableJsonObject = {};
  for (const key of Object.keys(kept)) setOwn(out, key, kept[key] ?? null);
  const done = orderLists(out, patch, schema);
  for (const key of Object.keys(patch)) {
    if (key === retainKeys || done.has(key)) continue;
    mergeKey(out, key, patch[key] ?? null, schema);
  }
  return out;
}

function directed(asked: Json, patch: JsonObject): JsonObject {
  if (asked === "delete") return {};
  if (asked !== "replace") {
    throw unknownDirective(asked, patch);
  }
  const replacement: MutableJsonObject = {};
  for (const key of Object.keys(patch)) {
    if (key !== directive) setOwn(replacement, key, patch[key] ?? null);
  }
  return replacement;
}

/** The original without the keys that the patch does not list as retained. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const listed = getOwn(patch, retainKeys);
  if (listed === undefined) return original;
  if (!isJsonArray(listed)) throw new PatchRefusal(400, badRetainKeys);
  const names = new Set(listed);
  for (const key of Object.keys(patch)) {
    const isAnother = key === retainKeys || patch[key] === null || isListDirective(key);
    if (!isAnother && !names.has(key)) throw new PatchRefusal(400, badRetainKeys);
  }
  const kept: MutableJsonObject = {};
  for (const key of Object.keys(original)) {
    if (names.has(key)) setOwn(kept, key, original[key] ?? null);
  }
  return kept;
}

const badRetainKeys = "invalid patch format of retainKeys";
const badOrder = "invalid patch format of setElementOrder list";
const badDeletion = "invalid patch format of primitive list";

function isListDirective(key: string): boolean {
  return key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
}

function mergeKey(
  out: MutableJsonObject,
  patchKey: string,
  value: Json,
  schema: JsonObject | undefined,
): void {
  const isDeletion = patchKey.startsWith(deletePrefix);
  const key = isDeletion ? targetKey(patchKey, deletePrefix, badDeletion) : patchKey;
  if (value === null) {
    delete out[key];
    return;
  }
  const before = getOwn(out, key);
  if (isJsonObject(before) && isJsonObject(value)) {
    const field = fieldSchema(schema, key);
    const isReplaced = strategyOf(field) === "replace";
    setOwn(out, key, isReplaced ? value : mergedMap(before, value, field));
  } else if (isJsonArray(before) && isJsonArray(value)) {
    const merge = listMerge(fieldSchema(schema, key), isDeletion);
    setOwn(out, key, mergedList(before, value, merge));
  } else if (!isDeletion) {
    const plain = withoutDirectives(withoutNulls(value));
    if (plain === undefined) delete out[key];
    else setOwn(out, key, plain);
  }
}

/** Merges the lists that have an order in the patch; says which keys need no more work. */
function orderLists(
  out: MutableJsonObject,
  patch: JsonObject,
  schema: JsonObject | undefined,
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const orderKey of Object.keys(patch)) {
    if (!orderKey.startsWith(orderPrefix)) continue;
    done.add(orderKey);
    const order = asList(patch[orderKey] ?? null);
    const key = targetKey(orderKey, orderPrefix, badOrder);
    const live = getOwn(out, key);
    const sent = getOwn(patch, key);
    const before = live === undefined ? [] : asList(live);
    const items = sent === undefined ? [] : asList(sent);
    const merge = listMerge(fieldSchema(schema, key), false);
    checkedOrder(items, order, merge.mergeKey);
    if (live === undefined && sent === undefined) continue;
    if (before.length === 0 && items.length === 0) {
      throw new PatchRefusal(500, "no elements in any of the given slices");
    }
    if (sent === undefined) setOwn(out, key, inOrder(before, order, merge));
    else if (live !== undefined) setOwn(out, key, mergedInOrder(before, items, order, merge));
    else setOwn(out, key, inOrder(plainItems(items), order, merge));
    done.add(key);
  }
  return done;
}

function plainItems(items: readonly Json[]): readonly Json[] {
  return items.map(withoutDirectives).filter((item) => item !== undefined);
}

function asList(value: Json): readonly Json[] {
  if (isJsonArray(value)) return value;
  const message = `expected a []interface {}, but received a ${goType(value)}`;
  throw new PatchRefusal(500, message);
}

function targetKey(key: string, prefix: string, problem: string): string {
  const slash = key.indexOf("/");
  if (slash !== prefix.length) throw new PatchRefusal(400, problem);
  return key.slice(slash + 1);
}

function listMerge(schema: JsonObject | undefined, isDeletion: boolean): ListMerge {
  const key = schema?.["x-kubernetes-patch-merge-key"];
  const items = schema?.["items"];
  const itemSchema = isJsonObject(items) ? items : undefined;
  const itemType = itemSchema?.["type"];
  return {
    isMerged: strategyOf(schema) === "merge",
    isDeletion,
    mergeKey: typeof key === "string" ? key : "",
    itemName: typeof itemType === "string" ? itemType : "",
    mergeItems: (a, b) => mergedMap(a, b, itemSchema),
  };
}

/** "merge", "replace" or nothing; retainKeys only tells clients what to send. */
function strategyOf(schema: JsonObject | undefined): string {
  const declared = schema?.["x-kubernetes-patch-strategy"];
  if (typeof declared !== "string") return "";
  return declared.split(",").find((strategy) => strategy !== "retainKeys") ?? "";
}

function fieldSchema(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const properties = schema?.["properties"];
  const property = isJsonObject(properties) ? getOwn(properties, key) : undefined;
  const found = property ?? schema?.["additionalProperties"];
  return isJsonObject(found) ? found : undefined;
}

/** New values carry no nulls: there is nothing to delete. */
function withoutNulls(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    if (member !== null) setOwn(out, key, withoutNulls(member));
  }
  return out;
}

/** A value without the objects that only carry a directive; undefined when it is one itself. */
function withoutDirectives(value: Json): Json | undefined {
  if (isJsonArray(value)) {
    return plainItems(value);
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const member = withoutDirectives(value[key] ?? null);
    if (member !== undefined) setOwn(out, key, member);
  }
  return out;
}
