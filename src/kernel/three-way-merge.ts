// Client-side apply: what was declared last time, what is declared now, and what is there.
// Declared fields win; fields declared before and no longer are removed; all other live fields
// survive, because somebody else set them. Lists are one value: the declared list replaces the
// live one. A declared null means "must be absent", as in kubectl. Inputs are never changed.

import { diff } from "./diff.ts";
import type { Change } from "./diff.ts";
import { getOwn, isJsonObject, setOwn } from "./json.ts";
import type { Json, MutableJsonObject } from "./json.ts";

export interface ThreeWay {
  /** The previous declaration; undefined when there was none. */
  readonly lastApplied: Json | undefined;
  readonly desired: Json;
  /** What exists; undefined when nothing does. */
  readonly live: Json | undefined;
}

export interface Merged {
  readonly merged: Json;
  /** From live to merged; empty when there is nothing to do. */
  readonly changes: readonly Change[];
}

export function threeWayMerge(input: ThreeWay): Merged {
  const merged = merge(input.lastApplied, input.desired, input.live);
  if (input.live !== undefined) return { merged, changes: diff(input.live, merged) };
  return { merged, changes: [{ kind: "add", path: "", new: merged }] };
}

function merge(last: Json | undefined, desired: Json, live: Json | undefined): Json {
  if (!isJsonObject(desired)) return desired;
  const result: MutableJsonObject = isJsonObject(live) ? { ...live } : {};
  const declared = isJsonObject(last) ? last : {};
  for (const key of Object.keys(declared)) if (!Object.hasOwn(desired, key)) delete result[key];
  for (const [key, value] of Object.entries(desired)) {
    if (value === null) delete result[key];
    else setOwn(result, key, merge(getOwn(declared, key), value, getOwn(result, key)));
  }
  return result;
}
