// Whether work on a resource is paused, by its annotation. It is a term of the index as well, so
// that what is paused can be listed without a look at all the rest: nothing else knows of it, since
// nothing is planned for it.

import { annotations } from "./annotations.ts";
import { getOwn } from "./json.ts";
import type { Json } from "./json.ts";
import type { Resource } from "./resource.ts";
import type { FieldEntry } from "./terms.ts";

/** No kind can declare it selectable: names of fields have no slash. */
export const pausedPath = `metadata.annotations.${annotations.paused}`;

const pausedTerm: readonly FieldEntry[] = [{ path: pausedPath, value: true }];
const noTerm: readonly FieldEntry[] = [];

export function isPaused({ metadata }: Resource): boolean {
  const { annotations: given } = metadata;
  return given !== undefined && isPausing(getOwn(given, annotations.paused));
}

/** Of the annotation. Anything but "false" pauses: who mistyped the value wanted a pause. */
export function isPausing(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "false";
}

export function pausedTerms(resource: Resource): readonly FieldEntry[] {
  return isPaused(resource) ? pausedTerm : noTerm;
}
