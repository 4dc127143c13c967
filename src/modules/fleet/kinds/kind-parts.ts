// Parts that several kinds of this module share.

import type { JsonObject } from "../../../kernel/json.ts";
import type { PrinterColumn } from "../../../kernel/kind.ts";
import { name, object } from "../../../kernel/schema-parts.ts";

/** A span of time in whole seconds, up to 10 years. */
export const seconds: JsonObject = { type: "integer", minimum: 0, maximum: 315_360_000 };

export const time: JsonObject = { type: "string", format: "date-time" };

/** One key of a Secret. */
export const secretKey: JsonObject = object({ namespace: name, name, key: name }, [
  "namespace",
  "name",
  "key",
]);

/** A part of a condition, for `kubectl get`. */
export function conditionColumn(title: string, type: string, part: string): PrinterColumn {
  const jsonPath = `.status.conditions[?(@.type=="${type}")].${part}`;
  return { name: title, type: "string", jsonPath };
}

export const age: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

export const readyColumns: readonly PrinterColumn[] = [
  conditionColumn("Ready", "Ready", "status"),
  conditionColumn("Reason", "Ready", "reason"),
  age,
];
