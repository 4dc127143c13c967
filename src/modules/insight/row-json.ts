// Rows of the read model as answers show them.

import type { Column, Row } from "../../intents/read-model/row.ts";
import { resourceStates } from "../../intents/read-model/state.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectSchema } from "./schemas.ts";

export const stateSchema: JsonObject = { type: "string", enum: [...resourceStates] };

export const rowSchema: JsonObject = objectSchema(
  {
    name: { type: "string" },
    namespace: { type: "string" },
    uid: { type: "string" },
    revision: { type: "integer" },
    created: { type: "string", format: "date-time" },
    generation: { type: "integer" },
    state: stateSchema,
    reason: { type: "string" },
    columns: {
      type: "object",
      description: "The printer columns of the kind, by their keys.",
      additionalProperties: { type: ["string", "number", "boolean", "null"] },
    },
    labels: {
      type: "object",
      description: "Where they are requested.",
      additionalProperties: { type: "string" },
    },
  },
  ["name", "uid", "revision", "created", "state", "columns"],
);

export function rowJson(
  columns: readonly Column[],
  row: Row,
  { hasLabels = false }: { readonly hasLabels?: boolean } = {},
): JsonObject {
  const { namespace, name, uid, revision, created, generation, state, reason, cells } = row;
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    uid,
    revision,
    created,
    ...(typeof generation === "number" ? { generation } : {}),
    state,
    ...(reason === "" ? {} : { reason }),
    columns: Object.fromEntries(columns.map(({ key }, at) => [key, cells[at] ?? null])),
    ...(hasLabels ? { labels: row.labels } : {}),
  };
}
