// The three documents of an object side by side: what is wanted, what was last applied, and what
// the service shows. Gives every difference that concerns us, with the reason for it, and the
// object as it should be: what is shown, with our changes laid over it. A field is ours when it is
// wanted or was applied; everything else belongs to others and stays as it is, key by key.

import { equalJson, getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import type { FieldClass } from "../binding.ts";
import { areAlike } from "./alike.ts";
import { isMaskOf, isReferenceTo } from "./echo.ts";
import type { Fields } from "./fields.ts";
import { keyedList } from "./lists.ts";

export interface Difference {
  /** A pointer; an element of a list with keys is named by its key. */
  readonly path: string;
  /** What the service shows; absent when it shows nothing there. */
  readonly before?: Json;
  /** What it should show; absent when the field should not be there. */
  readonly after?: Json;
  /** "wanted": the intent changed. "removed": it is no longer in it. "drift": others changed it. */
  readonly why: "wanted" | "removed" | "drift";
  readonly class: FieldClass;
  readonly isSecret: boolean;
  readonly isReplaceable: boolean;
}

/** What a service shows in another way than it was sent. */
export interface KnownDifference {
  readonly path: string;
  readonly sent: Json;
  /** Absent when it shows nothing there. */
  readonly shown?: Json;
}

export interface Documents {
  readonly desired: JsonObject;
  /** With digests in the place of secrets; undefined when nothing was applied yet. */
  readonly lastApplied: JsonObject | undefined;
  readonly observed: JsonObject;
}

export interface Comparing {
  readonly fields: Fields;
  readonly known: readonly KnownDifference[];
  /** Of a secret, as it stands in what was last applied. */
  readonly digest: (value: Json) => string;
  /** As a value stands in what is known, without the secrets that a service repeats. */
  readonly asNoted?: (value: Json) => Json;
}

export interface Compared {
  readonly differences: readonly Difference[];
  readonly wanted: JsonObject;
}

interface Walk extends Required<Omit<Comparing, "fields">> {
  readonly found: Difference[];
}

interface Place {
  readonly path: string;
  readonly fields: Fields;
  readonly desired: Json | undefined;
  readonly applied: Json | undefined;
  readonly shown: Json | undefined;
}

export function compareDocuments(documents: Documents, comparing: Comparing): Compared {
  const { known, digest, fields, asNoted = (value: Json) => value } = comparing;
  const found: Difference[] = [];
  const { desired, lastApplied = {}, observed: shown } = documents;
  const place = { path: "", fields, desired, applied: lastApplied, shown };
  const wanted = compareAt({ known, digest, asNoted, found }, place);
  return { differences: found, wanted: wanted !== undefined && isJsonObject(wanted) ? wanted : {} };
}

/** The value as it should be; undefined when there should be none. */
function compareAt(walk: Walk, place: Place): Json | undefined {
  const { fields, desired, applied, shown } = place;
  const { rule } = fields;
  if (desired === undefined && applied === undefined) return shown;
  if (rule.class === "read-only" || rule.isLeft) return shown;
  if (rule.isSecret || rule.class === "write-only") return compareUnseen(walk, place);
  if (rule.class === "create-only") return compareFixed(walk, place);
  // What was written is sent again where the whole is: the service takes names, not objects.
  if (isReferenceTo(desired, shown)) return desired;
  if (fields.keys !== undefined) {
    const merged = compareKeyed(walk, place, fields.keys);
    if (merged !== undefined) return merged;
  }
  if (isMap(desired)) {
    const isNew = shown === undefined && Object.keys(desired).length > 0;
    if (isNew || isMap(shown)) return compareMaps(walk, place);
  }
  if (desired === undefined && isMap(applied) && isMap(shown)) return compareMaps(walk, place);
  return compareLeaf(walk, place);
}

function isMap(value: Json | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}

function compareMaps(walk: Walk, place: Place): Json | undefined {
  const { path, fields, desired, applied, shown } = place;
  const [want, had, has] = [desired, applied, shown].map((each) => (isMap(each) ? each : {}));
  if (want === undefined || had === undefined || has === undefined) return shown;
  const result: MutableJsonObject = { ...has };
  for (const key of new Set([...Object.keys(want), ...Object.keys(had)])) {
    const value = compareAt(walk, {
      path: `${path}/${escapeToken(key)}`,
      fields: fields.child(key),
      desired: getOwn(want, key),
      applied: getOwn(had, key),
      shown: getOwn(has, key),
    });
    if (value === undefined) delete result[key];
    else setOwn(result, key, value);
  }
  const isEmptied = Object.keys(result).length === 0 && Object.keys(has).length > 0;
  return isEmptied && desired === undefined ? undefined : result;
}

function compareLeaf(walk: Walk, place: Place): Json | undefined {
  const { path, desired, applied, shown } = place;
  if (desired === undefined) {
    if (shown === undefined) return undefined;
    note(walk, place, { before: shown, why: "removed" });
    return undefined;
  }
  if (equalJson(desired, shown)) return shown;
  if (isMaskOf(desired, shown)) {
    compareUnseen(walk, place);
    return desired;
  }
  if (isKnown(walk, path, desired, shown)) return shown;
  const why = equalJson(desired, applied) ? "drift" : "wanted";
  note(walk, place, { ...(shown === undefined ? {} : { before: shown }), after: desired, why });
  return desired;
}

/** What the service does not show is compared with what was applied alone. */
function compareUnseen(walk: Walk, place: Place): Json | undefined {
  const { fields, desired, applied, shown } = place;
  if (desired === undefined) {
    note(walk, place, { why: "removed" });
    return undefined;
  }
  const mark = fields.rule.isSecret ? walk.digest(desired) : desired;
  if (equalJson(mark, applied)) return shown;
  note(walk, place, { after: desired, why: "wanted" });
  return desired;
}

/** What can be set at the creation only: a difference is told, and may lead to a new object. */
function compareFixed(walk: Walk, place: Place): Json | undefined {
  const { path, desired, applied, shown } = place;
  if (desired === undefined) return shown;
  const before = shown === undefined ? {} : { before: shown };
  if (applied !== undefined && !equalJson(desired, applied)) {
    note(walk, place, { ...before, after: desired, why: "wanted" });
  } else if (shown !== undefined && !areAlike(desired, shown)) {
    if (isMap(desired) && isMap(shown)) return shown;
    if (isMaskOf(desired, shown)) return shown;
    if (isKnown(walk, path, desired, shown)) return shown;
    note(walk, place, {
      ...before,
      after: desired,
      why: applied === undefined ? "wanted" : "drift",
    });
  }
  return shown;
}

/** Undefined when the elements cannot be told apart; the list is then compared as a whole. */
function compareKeyed(walk: Walk, place: Place, keys: readonly string[]): Json | undefined {
  const { path, fields, desired, applied, shown } = place;
  const [want, had, has] = [desired, applied, shown].map((each) => keyedList(each, keys));
  if (want === undefined || had === undefined || has === undefined) return undefined;
  const element = fields.element();
  const result = new Map<string, Json>(has);
  for (const key of new Set([...want.keys(), ...had.keys()])) {
    const value = compareAt(walk, {
      path: `${path}/${escapeToken(key)}`,
      fields: element,
      desired: want.get(key),
      // An element that goes is removed as a whole: what else is in it is in nobody's way then.
      applied: want.has(key) ? had.get(key) : null,
      shown: has.get(key),
    });
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  if (isJsonArray(desired) && desired.length === 0 && shown === undefined) return [];
  return desired === undefined && result.size === 0 ? undefined : [...result.values()];
}

function isKnown(
  { known, asNoted }: Walk,
  path: string,
  sent: Json,
  shown: Json | undefined,
): boolean {
  const isNoted = (noted: Json | undefined, value: Json | undefined): boolean =>
    equalJson(noted, value) || (value !== undefined && equalJson(noted, asNoted(value)));
  const one = known.find((each) => each.path === path || each.path === asNoted(path));
  return one !== undefined && isNoted(one.sent, sent) && isNoted(one.shown, shown);
}

function note(
  { found }: Walk,
  { path, fields }: Place,
  difference: Pick<Difference, "before" | "after" | "why">,
): void {
  const { class: is, isSecret, isReplaceable } = fields.rule;
  found.push({ path, ...difference, class: is, isSecret, isReplaceable });
}
