// Index terms of a resource that represents an object in a service: the path of the object, its id,
// its connection, and whether its creation or the creation of a replacement is in progress. They
// find two resources that have the same object without a scan of all resources.

import type { JsonObject } from "../../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FieldEntry } from "../../../kernel/terms.ts";

/** No kind can declare them selectable: names of fields have no slash. */
export const keptTerm = {
  path: "status.connect/path",
  id: "status.connect/id",
  /** "true" while the result of the creation is unknown. */
  creating: "status.connect/creating",
  /** Of a resource that names another connection than its kind. */
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
