// What the definition of every managed kind has beside its spec: the field `connect`, by which a
// resource says how it is managed, and the status that the loop keeps.

import type { JsonObject } from "../../../kernel/json.ts";

const text: JsonObject = { type: "string", minLength: 1, maxLength: 1_024 };
const anything: JsonObject = { "x-kubernetes-preserve-unknown-fields": true };

function choice(...values: readonly string[]): JsonObject {
  return { type: "string", enum: values };
}

function listOf(items: JsonObject): JsonObject {
  return { type: "array", maxItems: 100, items };
}

export const connectSchema: JsonObject = {
  type: "object",
  description: "How the object is managed, apart from what it is.",
  properties: {
    connection: text,
    id: text,
    parent: { type: "object", required: ["name"], properties: { name: text } },
    parameters: { type: "object", maxProperties: 50, additionalProperties: text },
    secrets: listOf({
      type: "object",
      required: ["field", "secret", "key"],
      properties: { field: text, secret: text, key: text },
    }),
    manage: choice("full", "observe", "keep"),
    adopt: choice("never", "ours", "any"),
    drift: choice("correct", "report"),
    leave: listOf(text),
    replace: listOf(text),
    resyncSeconds: { type: "integer", minimum: 5, maximum: 31_536_000 },
  },
};

export const managedStatusSchema: JsonObject = {
  type: "object",
  properties: { observed: anything, joined: anything, connect: anything },
};
