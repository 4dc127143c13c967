// What a newer document changes about the fields of a kind: those that are new, those that are
// gone, and those that may be treated otherwise than before. Both sides are read from what was
// written down, the definition and the RestKind, so a file under review and what a server has are
// compared the same way.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { escapeToken } from "../../../kernel/pointer.ts";

export interface FieldChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly reclassified: readonly Reclassified[];
  /** Fields that were plain and are secret now, or the other way round. */
  readonly secrecy: readonly SecrecyChange[];
}

export interface SecrecyChange {
  readonly path: string;
  readonly isSecret: boolean;
}

export interface Reclassified {
  readonly path: string;
  readonly was: string;
  readonly is: string;
}

export interface WrittenKind {
  readonly definition: JsonObject;
  readonly restKind: JsonObject;
}

export function fieldChanges(before: WrittenKind, after: WrittenKind): FieldChanges {
  const [old, now] = [classesOf(before), classesOf(after)];
  const reclassified: Reclassified[] = [];
  for (const [path, is] of now) {
    const was = old.get(path);
    if (was !== undefined && was !== is) reclassified.push({ path, was, is });
  }
  return {
    added: [...now.keys()].filter((path) => !old.has(path)),
    removed: [...old.keys()].filter((path) => !now.has(path)),
    reclassified,
    secrecy: secrecyChanges(
      before,
      after,
      [...now.keys()].filter((path) => old.has(path)),
    ),
  };
}

export function hasChanges({ added, removed, reclassified, secrecy }: FieldChanges): boolean {
  return added.length + removed.length + reclassified.length + secrecy.length > 0;
}

/** One line for each change, as the report and the command print it. */
export function secrecyText({ path, isSecret }: SecrecyChange): string {
  return isSecret ? `${path} was plain, is secret now` : `${path} was secret, is plain now`;
}

function secrecyChanges(
  before: WrittenKind,
  after: WrittenKind,
  paths: readonly string[],
): readonly SecrecyChange[] {
  const [old, now] = [before, after].map(({ restKind }) => secretsIn(restKind));
  return paths.flatMap((path) => {
    const [was, is] = [old, now].map((secrets) => secrets !== undefined && isBelow(secrets, path));
    return was === is || is === undefined ? [] : [{ path, isSecret: is }];
  });
}

function secretsIn(restKind: JsonObject): ReadonlySet<string> {
  const entries = objectsAt(restKind, "spec", "fields").filter((one) => isTrueAt(one, "isSecret"));
  return new Set(entries.map((entry) => textAt(entry, "path")));
}

function isBelow(secrets: ReadonlySet<string>, path: string): boolean {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    if (secrets.has(at)) return true;
  }
  return false;
}

/** Every field that is named anywhere, with its class. */
function classesOf({ definition, restKind }: WrittenKind): ReadonlyMap<string, string> {
  const entries = new Map(
    objectsAt(restKind, "spec", "fields").map((entry) => [
      textAt(entry, "path"),
      textAt(entry, "class"),
    ]),
  );
  const classes = new Map<string, string>();
  for (const version of objectsAt(definition, "spec", "versions")) {
    const spec = objectAt(version, "schema", "openAPIV3Schema", "properties", "spec");
    for (const path of pathsIn(spec, "")) classes.set(path, nearest(entries, path));
  }
  for (const [path, found] of entries) classes.set(path, found);
  return classes;
}

function nearest(entries: ReadonlyMap<string, string>, path: string): string {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const found = entries.get(at);
    if (found !== undefined) return found;
  }
  return "writable";
}

function* pathsIn(schema: JsonObject, pointer: string): Generator<string> {
  for (const [name, child] of Object.entries(objectAt(schema, "properties"))) {
    const path = `${pointer}/${escapeToken(name)}`;
    yield path;
    yield* pathsIn(objectAt(child), path);
  }
  for (const key of ["items", "additionalProperties"]) {
    const child = objectAt(schema, key);
    const hasMore = Object.keys(objectAt(child, "properties")).length > 0;
    if (hasMore) yield* pathsIn(child, `${pointer}/*`);
  }
}
