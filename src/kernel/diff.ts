// What changed between two documents, as a list of places with the old and the new value.
// Performed in order as a JSON Patch, the changes turn the first document into the second.
// Lists are compared after their common head and tail, so one inserted element is one change.

import { equalJson, isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { PatchOperation } from "./json-patch.ts";
import { escapeToken } from "./pointer.ts";

export type Change =
  | { readonly kind: "add"; readonly path: string; readonly new: Json }
  | { readonly kind: "remove"; readonly path: string; readonly old: Json }
  | { readonly kind: "replace"; readonly path: string; readonly old: Json; readonly new: Json };

export function diff(before: Json, after: Json): readonly Change[] {
  const changes: Change[] = [];
  compare(before, after, "", changes);
  return changes;
}

/** The changes as the JSON Patch that performs them. */
export function patchOf(changes: readonly Change[]): PatchOperation[] {
  return changes.map((change) =>
    change.kind === "remove"
      ? { op: "remove", path: change.path }
      : { op: change.kind, path: change.path, value: change.new },
  );
}

function compare(before: Json, after: Json, path: string, changes: Change[]): void {
  if (before === after) return;
  if (isJsonArray(before) && isJsonArray(after)) {
    compareLists(before, after, path, changes);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    compareObjects(before, after, path, changes);
  } else {
    changes.push({ kind: "replace", path, old: before, new: after });
  }
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  path: string,
  changes: Change[],
): void {
  for (const [key, old] of Object.entries(before)) {
    const keyPath = `${path}/${escapeToken(key)}`;
    const kept = Object.hasOwn(after, key) ? after[key] : undefined;
    if (kept === undefined) changes.push({ kind: "remove", path: keyPath, old });
    else compare(old, kept, keyPath, changes);
  }
  for (const [key, value] of Object.entries(after)) {
    if (Object.hasOwn(before, key)) continue;
    changes.push({ kind: "add", path: `${path}/${escapeToken(key)}`, new: value });
  }
}

function compareLists(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  changes: Change[],
): void {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && equalJson(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equalJson(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const common = shorter - tail;
  for (let i = head; i < common; i++) {
    compare(before[i] ?? null, after[i] ?? null, `${path}/${i}`, changes);
  }
  for (let i = before.length - tail - 1; i >= common; i--) {
    changes.push({ kind: "remove", path: `${path}/${i}`, old: before[i] ?? null });
  }
  for (let i = common; i < after.length - tail; i++) {
    changes.push({ kind: "add", path: `${path}/${i}`, new: after[i] ?? null });
  }
}
