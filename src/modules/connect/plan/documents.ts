// Walks over documents beside their field rules: which parts are sent, which are compared, and
// which are kept out of sight. A null in an object means the same as nothing there: services show
// either, and bookkeeping by merge patches could not tell them apart.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Tokens } from "../../../kernel/pointer.ts";
import type { FieldRule, Fields } from "./fields.ts";

/** Without nulls in objects. */
export function withoutNulls(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null) setOwn(copy, key, withoutNulls(item));
  }
  return copy;
}

/** The parts that are wanted; an object that loses all its fields is left out as well. */
export function pick(
  value: Json,
  fields: Fields,
  isWanted: (rule: FieldRule) => boolean,
): Json | undefined {
  if (isJsonArray(value)) {
    const element = fields.element();
    if (!isWanted(fields.rule)) return undefined;
    // An element stays in its place, be there nothing of it to be sent.
    return value.map((item) => pick(item, element, isWanted) ?? (isJsonObject(item) ? {} : item));
  }
  if (!isJsonObject(value)) return isWanted(fields.rule) ? value : undefined;
  const kept: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const part = pick(item, fields.child(key), isWanted);
    if (part !== undefined) setOwn(kept, key, part);
  }
  const isEmptied = Object.keys(kept).length === 0;
  const isKept = isEmptied && Object.keys(value).length === 0 && isWanted(fields.rule);
  return isEmptied && !isKept ? undefined : kept;
}

export function pickObject(
  value: JsonObject,
  fields: Fields,
  isWanted: (rule: FieldRule) => boolean,
): JsonObject {
  const picked = pick(value, fields, isWanted);
  return picked !== undefined && isJsonObject(picked) ? picked : {};
}

/** What of the document lies at or below one of the pointers; all of it without any. */
export function within(value: JsonObject, takes: readonly string[] | undefined): JsonObject {
  if (takes === undefined) return value;
  let kept: JsonObject = {};
  for (const tokens of takes.map(takenTokens)) {
    const part = getAt(value, tokens);
    if (part !== undefined) kept = setDeep(kept, tokens, part);
  }
  return kept;
}

/** Whether a request with these fields takes what is at the pointer. */
export function isTaken(path: string, takes: readonly string[] | undefined): boolean {
  if (takes === undefined) return true;
  const tokens = parsePointer(path);
  return takes.some((taken) => {
    const above = takenTokens(taken);
    return above.every((token, index) => tokens[index] === token);
  });
}

/** A field may be named without the slash that a pointer begins with. */
function takenTokens(taken: string): Tokens {
  return taken === "" || taken.startsWith("/") ? parsePointer(taken) : [taken];
}

/** As `setAt`, but makes the objects on the way. */
export function setDeep(document: JsonObject, tokens: Tokens, value: Json): JsonObject {
  const [first, ...rest] = tokens;
  if (first === undefined) return isJsonObject(value) ? value : document;
  const child = getOwn(document, first);
  const copy: MutableJsonObject = { ...document };
  const below = child !== undefined && isJsonObject(child) ? child : {};
  setOwn(copy, first, rest.length === 0 ? value : setDeep(below, rest, value));
  return copy;
}

/** Puts an object into its envelope; an empty pointer means that it has none. */
export function enveloped(value: Json, pointer = ""): Json {
  return pointer === "" ? value : setDeep({}, parsePointer(pointer), value);
}

/** Replaces every part that is secret; what is shown of it is made of its value. */
export function maskSecrets(value: Json, fields: Fields, mask: (value: Json) => Json): Json {
  if (fields.rule.isSecret) return mask(value);
  if (isJsonArray(value)) {
    const element = fields.element();
    return value.map((item) => maskSecrets(item, element, mask));
  }
  if (!isJsonObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    setOwn(copy, key, maskSecrets(item, fields.child(key), mask));
  }
  return copy;
}
