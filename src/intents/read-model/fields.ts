// The fields of a row by their names in filters and sort orders: the fixed ones, and the columns
// of the kind as "columns.KEY", which is where an answer shows them. A label is "labels.KEY".

import type { Cell, Column, Row } from "./row.ts";

export interface Field {
  readonly name: string;
  readonly type: Column["type"];
  read(row: Row): Cell;
}

const fixedFields: readonly Field[] = [
  { name: "name", type: "text", read: (row) => row.name },
  { name: "namespace", type: "text", read: (row) => row.namespace },
  { name: "uid", type: "text", read: (row) => row.uid },
  { name: "revision", type: "number", read: (row) => row.revision },
  { name: "created", type: "text", read: (row) => row.created },
  { name: "generation", type: "number", read: (row) => row.generation },
  { name: "state", type: "text", read: (row) => row.state },
  { name: "reason", type: "text", read: (row) => row.reason },
];

const labelPrefix = "labels.";

/** The field of a label; undefined for a name that does not begin with "labels.". */
export function labelField(name: string): Field | undefined {
  if (!name.startsWith(labelPrefix) || name.length === labelPrefix.length) return undefined;
  const key = name.slice(labelPrefix.length);
  const read = ({ labels }: Row): Cell => (Object.hasOwn(labels, key) ? (labels[key] ?? "") : null);
  return { name, type: "text", read };
}

export function fieldsOf(columns: readonly Column[]): ReadonlyMap<string, Field> {
  const own = columns.map(({ key, type }, at): Field => ({
    name: `columns.${key}`,
    type,
    read: (row) => row.cells[at] ?? null,
  }));
  return new Map([...fixedFields, ...own].map((field) => [field.name, field]));
}
