// The parts that the definition of every managed kind has beside its spec: the field `connect`, by
// which a resource says how it is managed, and the status that the loop keeps. An import puts them
// into the definitions that it makes; who writes one by hand copies them from there.

import type { JsonObject } from "../../../kernel/json.ts";
import {
  anything,
  choice,
  described,
  list,
  map,
  name,
  object,
  text,
} from "../../../kernel/schema-parts.ts";
import { pointer } from "./pointer-schema.ts";

export const connectSchema: JsonObject = described(
  object({
    connection: described(name, "Name of a Connection to use instead of the one in the RestKind."),
    id: described(text, "Id of an existing object to adopt. An adopted object is never created."),
    parent: object({ name }, ["name"]),
    parameters: described(
      map(text, 50),
      "Values of path parameters that the RestKind does not set.",
    ),
    secrets: described(
      list(object({ field: pointer, secret: name, key: text }, ["field", "secret", "key"]), 100),
      "Fields whose values are read from Secrets of the namespace for each request.",
    ),
    manage: described(
      choice("full", "observe", "keep"),
      "full: create, update and delete; observe: read only; keep: never delete.",
    ),
    adopt: described(
      choice("never", "ours", "any"),
      "Whether an existing object with the same id is adopted.",
    ),
    drift: described(
      choice("correct", "report"),
      "Whether changes made by others are corrected or only reported.",
    ),
    leave: described(list(pointer, 100), "Fields that are set on create and then left to others."),
    replace: described(
      list(pointer, 100),
      "Create-only fields: a change deletes the object and creates it again.",
    ),
    resyncSeconds: { type: "integer", minimum: 5, maximum: 31_536_000 },
  }),
  "How the object is managed in the service.",
);

export const managedStatusSchema: JsonObject = {
  type: "object",
  properties: {
    observed: described(anything, "The object as the service last returned it."),
    joined: described(anything, "Additional documents about the object, by name."),
    connect: described(anything, "State of the reconciler: id, path, last applied, last write."),
    observedGeneration: { type: "integer" },
    conditions: { type: "array", items: anything },
    reconcile: anything,
  },
  "x-kubernetes-preserve-unknown-fields": true,
};
