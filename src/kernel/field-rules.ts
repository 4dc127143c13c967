// Rules on single fields: which a user may never set, which are fixed at creation, and which are
// secret. A rule's path may hold `*` for every key or element and covers all below it. Elements
// of lists are told apart by position. What a violation leads to is decided by the caller.

import { equalJson, isJsonArray, isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";
import type { FieldRuleName, Kind } from "./kind.ts";
import { escapeToken } from "./pointer.ts";
import type { Tokens } from "./pointer.ts";

export interface FieldViolation {
  readonly path: string;
  readonly rule: FieldRuleName;
  /** Absent when the field was added. */
  readonly old?: Json;
  /** Absent when the field was removed. */
  readonly new?: Json;
}

type RuledKind = Pick<Kind, "fieldRules">;

/**
 * Compares what is stored with what a user sent. `before` is undefined on create: create-only
 * fields are then free, and read-only ones must not be there.
 */
export function checkFieldRules(
  kind: RuledKind,
  before: Json | undefined,
  after: Json,
): readonly FieldViolation[] {
  const violations: FieldViolation[] = [];
  for (const { rule, segments } of kind.fieldRules) {
    const isChecked = rule === "read-only" || (rule === "create-only" && before !== undefined);
    if (!isChecked) continue;
    const had = valuesAt(before, segments);
    const has = valuesAt(after, segments);
    for (const path of new Set([...had.keys(), ...has.keys()])) {
      const old = had.get(path);
      const now = has.get(path);
      if (equalJson(old, now)) continue;
      violations.push({
        path,
        rule,
        ...(old === undefined ? {} : { old }),
        ...(now === undefined ? {} : { new: now }),
      });
    }
  }
  return violations;
}

/** Concrete pointers of the secret values in a document, sorted; none lies within another. */
export function secretPointers(kind: RuledKind, document: Json): readonly string[] {
  const found = new Set<string>();
  for (const { rule, segments } of kind.fieldRules) {
    if (rule !== "secret" && rule !== "sealed") continue;
    for (const [path, value] of valuesAt(document, segments)) if (value !== null) found.add(path);
  }
  if (found.size === 0) return [];
  return [...found].filter((path) => !hasAncestor(found, path)).sort();
}

/** All values a path with `*` reaches, by their concrete pointers. */
function valuesAt(document: Json | undefined, segments: Tokens): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  if (document !== undefined) collect(document, segments, 0, "", found);
  return found;
}

function collect(
  at: Json,
  segments: Tokens,
  depth: number,
  path: string,
  found: Map<string, Json>,
): void {
  const segment = segments[depth];
  if (segment === undefined) {
    found.set(path, at);
    return;
  }
  if (!isJsonArray(at) && !isJsonObject(at)) return;
  const keys = segment === "*" ? Object.keys(at) : [segment];
  for (const key of keys) {
    // A list has the own key "length", which is not an element.
    if (!Object.hasOwn(at, key) || (isJsonArray(at) && key === "length")) continue;
    const child = isJsonArray(at) ? at[Number(key)] : at[key];
    const childPath = `${path}/${escapeToken(key)}`;
    if (child !== undefined) collect(child, segments, depth + 1, childPath, found);
  }
}

function hasAncestor(pointers: ReadonlySet<string>, path: string): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (pointers.has(path.slice(0, end))) return true;
  }
  return false;
}
