// Whether work on a resource is paused, by its annotation. It is a term of the index as well, so
// that what is paused can be listed without a look at all the rest: nothing else knows of it, since
// nothing is planned for it.

import { annotations } from "./annotations.ts";
import { getOwn } from "./json.ts";
import type { Resource } from "./resource.ts";
import type { FieldEntry } from "./terms.ts";

/** No kind can declare it selectable: names of fields have no slash. */
export const pausedPath = `metadata.annotations.${annotations.paused}`;

const pausedTerm: readonly FieldEntry[] = [{ path: pausedPath, value: true }];
const noTerm: readonly FieldEntry[] = [];

export function isPaused({ metadata }: Resource): boolean {
  const { annotations: given } = metadata;
  return given !== undefined && getOwn(given, annotations.paused) === "true";
}

export function pausedTerms(resource: Resource): readonly FieldEntry[] {
  return isPaused(resource) ? pausedTerm : noTerm;
}
