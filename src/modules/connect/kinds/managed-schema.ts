// The parts that the definition of every managed kind has beside its spec: the field `connect`, by
// which a resource says how it is managed, and the status that the loop keeps. An import puts them
// into the definitions that it makes; who writes one by hand copies them from there.

import type { JsonObject } from "../../../kernel/json.ts";
import { anything, choice, described, list, map, name, object, pointer, text } from "./schemas.ts";

export const connectSchema: JsonObject = described(
  object({
    connection: described(name, "Another Connection than that of the kind."),
    id: described(text, "Of an object that exists: it is adopted and never made."),
    parent: object({ name }, ["name"]),
    parameters: described(map(text, 50), "Of the paths, where the kind leaves them open."),
    secrets: described(
      list(object({ field: pointer, secret: name, key: text }, ["field", "secret", "key"]), 100),
      "Fields whose values are taken from Secrets of the namespace when they are sent.",
    ),
    manage: described(
      choice("full", "observe", "keep"),
      "full: all; observe: nothing is written; keep: never deleted there.",
    ),
    adopt: described(choice("never", "ours", "any"), "Of an object of that name that exists."),
    drift: described(choice("correct", "report"), "What is done about changes by others."),
    leave: described(list(pointer, 100), "Fields that somebody else owns after the creation."),
    replace: described(
      list(pointer, 100),
      "Fields that are fixed there: a change removes the object and makes it anew.",
    ),
    resyncSeconds: { type: "integer", minimum: 5, maximum: 31_536_000 },
  }),
  "How the object is managed, apart from what it is.",
);

export const managedStatusSchema: JsonObject = {
  type: "object",
  properties: {
    observed: described(anything, "The last answer to a read."),
    joined: described(anything, "Second documents about the object, by name."),
    connect: described(anything, "What the loop keeps: id, path, last applied, last write."),
    observedGeneration: { type: "integer" },
    conditions: { type: "array", items: anything },
    reconcile: anything,
  },
  "x-kubernetes-preserve-unknown-fields": true,
};
