// A column of a Table: its definition as clients read it, and the cell it shows for an object.
// The texts are those of kube-apiserver, because clients print them and tests compare them.

import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { ageOf } from "./human-duration.ts";

export interface Column {
  readonly definition: JsonObject;
  readonly cell: (object: JsonObject, nowMs: number) => Json;
}

export interface ColumnInput {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description: string;
  /** Columns above 0 are shown only in wide output. */
  readonly priority?: number;
}

export const creationDescription = prose(
  "CreationTimestamp is a timestamp representing the server time when this object was ",
  "created. It is not guaranteed to be set in happens-before order across separate ",
  "operations. Clients may not set this value. It is represented in RFC3339 form and is ",
  "in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: ",
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#",
  "metadata",
);

const nameDescription = prose(
  "Name must be unique within a namespace. Is required when creating resources, ",
  "although some resources may allow a client to request the generation of an ",
  "appropriate name automatically. Name is primarily intended for creation idempotence ",
  "and configuration definition. Cannot be updated. More info: ",
  "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
);

/** A long text, written in pieces. */
export function prose(...pieces: readonly string[]): string {
  return pieces.join("");
}

export function column(input: ColumnInput, cell: Column["cell"]): Column {
  const { name, type, format = "", description, priority = 0 } = input;
  return { definition: { name, type, format, description, priority }, cell };
}

export function nameColumn(priority = 0): Column {
  const input = { name: "Name", type: "string", format: "name", priority };
  return column({ ...input, description: nameDescription }, (object) =>
    textAt(object, "metadata", "name"),
  );
}

export function ageColumn(): Column {
  const input = { name: "Age", type: "string", description: creationDescription };
  return column(input, (object, nowMs) => ageAt(object, nowMs, "metadata", "creationTimestamp"));
}

export function ageAt(object: JsonObject, nowMs: number, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return ageOf(typeof value === "string" ? value : undefined, nowMs);
}
