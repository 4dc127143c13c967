// Sort orders of rows, such as "-created,name": a minus sign means descending. Namespace and name
// decide between equal rows, so that the order is total and a page can begin after any row. A row
// without a value comes last, in either direction.

import { notOfQuery } from "../../kernel/cursor.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { isJsonArray } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { compareKeys } from "../../kernel/resource.ts";
import type { Field } from "./fields.ts";
import { compareCells, fieldNamed } from "./filter.ts";
import type { Cell, Row } from "./row.ts";

/** Where a row is in an order: its sort values, namespace and name. */
export interface Place {
  readonly values: readonly Cell[];
  readonly namespace: string;
  readonly name: string;
}

export interface RowOrder {
  /** Whether it is the order of the store: by namespace and name. */
  readonly isNatural: boolean;
  placeOf(row: Row): Place;
  compare(one: Place, other: Place): number;
}

interface Term {
  readonly field: Field;
  readonly isDescending: boolean;
}

/** An empty text is the natural order. Throws request.invalid. */
export function parseOrder(text: string, fields: ReadonlyMap<string, Field>): RowOrder {
  const names = text.split(",").map((part) => part.trim());
  const terms = names.filter((name) => name !== "").map((name) => termOf(name, fields));
  if (terms.length > limits.maxFilterTerms) {
    const message = `sort: has more than ${limits.maxFilterTerms} fields`;
    throw new SetpointError("request.invalid", message, { details: { field: "query.sort" } });
  }
  const natural = terms.every(({ field, isDescending }, at) => {
    return !isDescending && field.name === (at === 0 ? "namespace" : "name") && at < 2;
  });
  return {
    isNatural: natural,
    placeOf: (row) => ({
      values: natural ? [] : terms.map(({ field }) => field.read(row)),
      namespace: row.namespace,
      name: row.name,
    }),
    compare: (one, other) => {
      for (const [at, { isDescending }] of natural ? [] : terms.entries()) {
        const order = compareValues(one.values[at] ?? null, other.values[at] ?? null, isDescending);
        if (order !== 0) return order;
      }
      return compareKeys({ kind: "", ...nameOf(one) }, { kind: "", ...nameOf(other) });
    },
  };
}

/** As a cursor carries it. */
export function placeJson({ values, namespace, name }: Place): Json {
  return [namespace, name, ...values];
}

/** Throws request.invalid for what `placeJson` cannot have written. */
export function placeFrom(json: Json): Place {
  const [namespace, name, ...values] = isJsonArray(json) ? json : [];
  if (typeof namespace === "string" && typeof name === "string" && values.every(isCell)) {
    return { namespace, name, values };
  }
  throw notOfQuery();
}

function isCell(value: Json): value is Cell {
  return typeof value !== "object" || value === null;
}

function compareValues(one: Cell, other: Cell, isDescending: boolean): number {
  if (one === null || other === null) {
    return one === other ? 0 : one === null ? 1 : -1;
  }
  const order = compareCells(one, other);
  return isDescending ? -order : order;
}

function nameOf({ namespace, name }: Place): Pick<Place, "namespace" | "name"> {
  return { namespace, name };
}

function termOf(text: string, fields: ReadonlyMap<string, Field>): Term {
  const isDescending = text.startsWith("-");
  const name = isDescending ? text.slice(1) : text;
  return { field: fieldNamed(fields, name, "sort"), isDescending };
}
