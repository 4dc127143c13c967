// Parts of a document whose shape is not known.

import type { JsonList, JsonRecord, JsonValue } from "../../api/types.ts";

export function isRecord(value: JsonValue | undefined): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function recordAt(record: JsonRecord, name: string): JsonRecord {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return isRecord(value) ? value : {};
}

export function textAt(record: JsonRecord, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}

export function itemsOf(value: JsonValue | undefined): JsonList {
  return Array.isArray(value) ? (value as JsonList) : [];
}
