// JSON Pointers (RFC 6901) and immutable access by them. A pointer names own keys and list
// elements only. `setAt` and `removeAt` return a new document that shares what did not change;
// the given one is untouched, so a document may be held by many readers at once.

import { SetpointError } from "./errors.ts";
import { getOwn, isJsonArray, isJsonObject, setOwn } from "./json.ts";
import type { Json, JsonObject, MutableJsonObject } from "./json.ts";

export type Tokens = readonly string[];

export function parsePointer(pointer: string): Tokens {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) {
    throw new SetpointError("request.invalid", "a JSON Pointer cannot be read", {
      details: { pointer: pointer.slice(0, 600) },
      suggestion: 'start it with "/" and write "~" as "~0" and "/" within a name as "~1"',
    });
  }
  const tokens = pointer.slice(1).split("/");
  if (!pointer.includes("~")) return tokens;
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function formatPointer(tokens: Tokens): string {
  let pointer = "";
  for (const token of tokens) pointer += `/${escapeToken(token)}`;
  return pointer;
}

/** For building a pointer while walking: `${parent}/${escapeToken(key)}`. */
export function escapeToken(token: string): string {
  if (!token.includes("~") && !token.includes("/")) return token;
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a place, or undefined when there is none. */
export function getAt(document: Json, tokens: Tokens): Json | undefined {
  let at: Json | undefined = document;
  for (const token of tokens) {
    at = at === undefined ? undefined : childOf(at, token);
    if (at === undefined) return undefined;
  }
  return at;
}

/** Replaces or adds a value. The parent must exist; only the last key may be absent. */
export function setAt(document: Json, tokens: Tokens, value: Json): Json {
  return changed(document, tokens, 0, value);
}

/** As `setAt` for many places: each object and list on the way to one is copied once. */
export function setEach(
  document: Json,
  changes: Iterable<{ readonly tokens: Tokens; readonly value: Json }>,
): Json {
  const copies = new Set<Json>();
  const owned = (value: Json): Json => {
    if (copies.has(value) || typeof value !== "object" || value === null) return value;
    const copy = isJsonArray(value) ? [...value] : { ...value };
    copies.add(copy);
    return copy;
  };
  let root = document;
  for (const { tokens, value } of changes) {
    const last = tokens.at(-1);
    if (last === undefined) {
      root = value;
      continue;
    }
    root = owned(root);
    let parent = root;
    for (const token of tokens.slice(0, -1)) {
      const child = childOf(parent, token);
      if (child === undefined) throw absent(tokens);
      const copy = owned(child);
      if (copy !== child) place(parent, token, copy, tokens);
      parent = copy;
    }
    place(parent, last, value, tokens);
  }
  return root;
}

/** Changes a container that `setEach` has copied. */
function place(parent: Json, token: string, value: Json, path: Tokens): void {
  if (isJsonArray(parent)) {
    const index = parseIndex(token);
    if (index === undefined || index > parent.length) throw absent(path);
    (parent as Json[])[index] = value;
  } else if (isJsonObject(parent)) setOwn(parent, token, value);
  else throw absent(path);
}

/** Removes a value; a list closes the gap. The value must exist. */
export function removeAt(document: Json, tokens: Tokens): Json {
  if (tokens.length === 0) throw absent(tokens);
  return changed(document, tokens, 0, undefined);
}

/** Reads a list index as RFC 6901 writes it: no sign, no leading zero. */
export function parseIndex(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(token) ? Number(token) : undefined;
}

function childOf(parent: Json, token: string): Json | undefined {
  if (isJsonArray(parent)) {
    const index = parseIndex(token);
    return index === undefined ? undefined : parent[index];
  }
  return isJsonObject(parent) ? getOwn(parent, token) : undefined;
}

/** Copies the path from the root to the change; `value` undefined means removal. */
function changed(at: Json, tokens: Tokens, depth: number, value: Json | undefined): Json {
  const token = tokens[depth];
  if (token === undefined) return value ?? null;
  const isLast = depth === tokens.length - 1;
  const child = childOf(at, token);
  if (child === undefined && (!isLast || value === undefined)) throw absent(tokens);
  const next = isLast ? value : changed(child ?? null, tokens, depth + 1, value);
  if (isJsonArray(at)) return changedList(at, token, next, tokens);
  if (isJsonObject(at)) return changedObject(at, token, next);
  throw absent(tokens);
}

function changedList(list: readonly Json[], token: string, value: Json | undefined, path: Tokens) {
  const index = parseIndex(token);
  if (index === undefined || index > list.length) throw absent(path);
  return value === undefined ? list.toSpliced(index, 1) : list.toSpliced(index, 1, value);
}

function changedObject(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const copy: MutableJsonObject = { ...object };
  if (value === undefined) delete copy[key];
  else setOwn(copy, key, value);
  return copy;
}

function absent(tokens: Tokens): SetpointError {
  const pointer = formatPointer(tokens);
  return new SetpointError("request.invalid", `${pointer} does not exist`, {
    details: { pointer },
  });
}
