/**
 * Fields that a deployment leaves to others. They are taken from the live object into the desired
 * one before it is compared and applied, so that an apply does not fight their owner.
 */
import { parseExact } from "../../../kernel/int64.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { getOwn } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer, setAt } from "../../../kernel/pointer.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { IgnoreRule } from "./plan.ts";

export function withIgnored(
  at: ObjectReference,
  desired: JsonObject,
  live: JsonObject | undefined,
  rules: readonly IgnoreRule[],
): JsonObject {
  if (live === undefined) return desired;
  let result: Json = desired;
  for (const rule of rules) {
    if (!isFor(rule, at)) continue;
    for (const pointer of rule.jsonPointers) result = withPointer(result, live, pointer);
    for (const manager of rule.managers) result = withManager(result, live, manager);
  }
  return isJsonObject(result) ? result : desired;
}

function isFor(rule: IgnoreRule, at: ObjectReference): boolean {
  return (
    rule.kind === at.kind &&
    rule.group === at.group &&
    (rule.namespace === "" || rule.namespace === at.namespace) &&
    (rule.name === "" || rule.name === at.name)
  );
}

/** A field without a live value is applied. */
function withPointer(desired: Json, live: JsonObject, pointer: string): Json {
  const tokens = parsePointer(pointer);
  const value = getAt(live, tokens);
  if (value === undefined) return desired;
  // A part of the path that only the live object has is none of ours.
  const parent = getAt(desired, tokens.slice(0, -1));
  if (!isJsonObject(parent) && !isJsonArray(parent)) return desired;
  if (isJsonArray(parent) && getAt(desired, tokens) === undefined) return desired;
  if (isJsonObject(parent) && getAt(desired, tokens) === undefined) return desired;
  return setAt(desired, tokens, value);
}

function withManager(desired: Json, live: JsonObject, manager: string): Json {
  let result = desired;
  for (const entry of objectsAt(live, "metadata", "managedFields")) {
    if (textAt(entry, "manager") !== manager || textAt(entry, "subresource") !== "") continue;
    result = withOwned(result, live, objectAt(entry, "fieldsV1"));
  }
  return result;
}

/** `fields` as in managedFields: f:NAME is a field, k:{…} an item of a list by its keys. */
function withOwned(desired: Json, live: Json, fields: JsonObject): Json {
  if (isJsonObject(desired) && isJsonObject(live)) {
    const result: MutableJsonObject = { ...desired };
    for (const [token, inner] of Object.entries(fields)) {
      const name = token.startsWith("f:") ? token.slice(2) : "";
      const wanted = getOwn(desired, name);
      const present = getOwn(live, name);
      if (wanted === undefined || present === undefined || !isJsonObject(inner)) continue;
      result[name] = isLeaf(inner) ? present : withOwned(wanted, present, inner);
    }
    return result;
  }
  if (!isJsonArray(desired) || !isJsonArray(live)) return desired;
  const keyed = Object.entries(fields).flatMap(([token, inner]) =>
    token.startsWith("k:") && isJsonObject(inner) ? [{ keys: keysOf(token), inner }] : [],
  );
  return desired.map((item) => {
    const found = keyed.find(({ keys }) => hasKeys(item, keys));
    const present = found && live.find((other) => hasKeys(other, found.keys));
    return found === undefined || present === undefined
      ? item
      : withOwned(item, present, found.inner);
  });
}

function isLeaf(fields: JsonObject): boolean {
  return Object.keys(fields).every((token) => token === "." || token.startsWith("v:"));
}

function keysOf(token: string): JsonObject {
  try {
    const parsed = parseExact(token.slice(2));
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    // What another server writes there is not ours to judge: no item has no keys.
    return {};
  }
}

function hasKeys(item: Json, keys: JsonObject): boolean {
  const entries = Object.entries(keys);
  if (entries.length === 0 || !isJsonObject(item)) return false;
  return entries.every(([key, value]) => getOwn(item, key) === value);
}
