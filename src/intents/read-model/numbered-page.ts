// Page N of the rows of a kind, with the total: for protocols whose lists are numbered. A page is
// found by selection (selection.ts), and the work is done in slices, so that a page of a large
// kind does not block requests of other tenants.

import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { bytePauses, nextTurn } from "../../kernel/pauses.ts";
import type { Pause } from "../../kernel/pauses.ts";
import { compareKeys } from "../../kernel/resource.ts";
import type { OpenKind } from "./read-model.ts";
import type { Row } from "./row.ts";
import { memoryRows, scanStore } from "./scan.ts";
import type { ScanPorts } from "./scan.ts";
import type { Scope } from "./scope.ts";
import { selectRange } from "./selection.ts";

export interface NumberedPage {
  readonly rows: readonly Row[];
  /** Rows that the filter selects, on all pages. */
  readonly total: number;
  /** The revision up to which the answer is complete. */
  readonly revision: number;
}

export interface NumberedQuery {
  readonly scope: Scope;
  readonly filter: (row: Row) => boolean;
  /** By these texts in turn, then by namespace and name. */
  readonly order: readonly RowKey[];
  /** The number of rows before the page. */
  readonly offset: number;
  readonly limit: number;
  /** Whose work it is, where tenants take turns. */
  readonly tenant: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RowKey {
  readonly isDescending: boolean;
  readonly textOf: (row: Row) => string;
}

export async function numberedPage(
  ports: ScanPorts,
  open: OpenKind,
  query: NumberedQuery,
): Promise<NumberedPage> {
  const { all, revision } = await rowsOf(ports, open, query);
  const pause: Pause = all.length > sliceRows ? () => nextTurn(query.tenant) : () => undefined;
  const rows = await filtered(all, query, pause);
  const { order, offset, limit, signal } = query;
  const columns: (readonly string[])[] = [];
  for (const { textOf } of order) {
    columns.push(rows.map(textOf));
    await pause();
    signal?.throwIfAborted();
  }
  const chosen = await selectRange({
    count: rows.length,
    compare: comparing(rows, order, columns),
    from: offset,
    to: offset + limit,
    pause: () => {
      signal?.throwIfAborted();
      return pause();
    },
  });
  const found = Array.from(chosen, (at) => rows[at]).filter((row) => row !== undefined);
  return { rows: found, total: rows.length, revision };
}

/** The rows do not change while they are filtered, since their list is complete at once. */
async function rowsOf(
  ports: ScanPorts,
  open: OpenKind,
  { scope, signal, tenant }: NumberedQuery,
): Promise<{ readonly all: readonly Row[]; readonly revision: number }> {
  if (open.source === "memory") {
    return { all: [...memoryRows(open, scope)], revision: open.revision };
  }
  const all: Row[] = [];
  const visit = (row: Row): boolean => all.push(row) > 0;
  const pauses = bytePauses(tenant);
  const options = { maxRows: limits.maxReadModelKindRows, signal, pauses };
  const { revision, next } = await scanStore(ports, open.projection, scope, visit, options);
  if (next !== undefined) throw tooLarge();
  return { all, revision };
}

async function filtered(
  all: readonly Row[],
  { filter, signal }: NumberedQuery,
  pause: Pause,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < all.length; from += sliceRows) {
    for (const row of all.slice(from, from + sliceRows)) if (filter(row)) rows.push(row);
    await pause();
    signal?.throwIfAborted();
  }
  return rows;
}

function comparing(
  rows: readonly Row[],
  order: readonly RowKey[],
  columns: readonly (readonly string[])[],
): (one: number, other: number) => number {
  const byKey = (one: number, other: number): number => {
    const left = rows[one];
    const right = rows[other];
    return left === undefined || right === undefined ? 0 : compareRows(left, right);
  };
  return order.reduceRight((next, { isDescending }, at) => {
    const texts = columns[at] ?? [];
    const before = isDescending ? 1 : -1;
    return (one: number, other: number): number => {
      const left = texts[one] ?? "";
      const right = texts[other] ?? "";
      if (left === right) return next(one, other);
      return left < right ? before : -before;
    };
  }, byKey);
}

function compareRows(one: Row, other: Row): number {
  const kind = "";
  return compareKeys(
    { kind, namespace: one.namespace, name: one.name },
    { kind, namespace: other.namespace, name: other.name },
  );
}

const sliceRows = 20_000;

function tooLarge(): SetpointError {
  const most = limits.maxReadModelKindRows.toLocaleString("en");
  const message = `a list of more than ${most} resources cannot be sorted`;
  return new SetpointError("request.invalid", message, {
    suggestion: "select fewer resources",
  });
}
