// Terms of the index by which a resource is found that stands for an object in a service outside:
// where the object is, what it is called there, by which connection, and whether its creation is
// under way, or that of another in its place. So two resources that have the same object can be
// told without a look at all the rest.

import type { JsonObject } from "./json.ts";
import { presentObjectAt, textAt } from "./json-read.ts";
import type { Resource } from "./resource.ts";
import type { FieldEntry } from "./terms.ts";

/** No kind can declare them selectable: names of fields have no slash. */
export const keptTerm = {
  path: "status.connect/path",
  id: "status.connect/id",
  /** "true" while nobody knows what came of it. */
  creating: "status.connect/creating",
  /** Of a resource that names another than its kind. */
  connection: "connect/connection",
} as const;

const noTerms: readonly FieldEntry[] = [];

export function keptTerms(resource: Resource): readonly FieldEntry[] {
  const book = presentObjectAt(resource.status, "connect");
  const management = presentObjectAt(resource["connect"]);
  if (book === undefined && management === undefined) return noTerms;
  const isCreating = ["creating", "renaming"].some((page) => {
    return presentObjectAt(book, page) !== undefined;
  });
  return [
    ...textTerm(keptTerm.path, book, "path"),
    ...textTerm(keptTerm.id, book, "id"),
    ...(isCreating ? [{ path: keptTerm.creating, value: true }] : []),
    ...textTerm(keptTerm.connection, management, "connection"),
  ];
}

function textTerm(path: string, from: JsonObject | undefined, key: string): readonly FieldEntry[] {
  const value = textAt(from, key);
  return value === "" ? noTerms : [{ path, value }];
}
