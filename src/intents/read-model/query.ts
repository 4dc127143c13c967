// Queries of rows: a page of a list, counts by state, and groups by reason. Each takes the scope of
// the caller first, so that no count includes what the caller may not list.

import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { BytePauses } from "../../kernel/pauses.ts";
import type { RowFilter } from "./filter.ts";
import type { Place, RowOrder } from "./order.ts";
import type { OpenKind } from "./read-model.ts";
import type { Row } from "./row.ts";
import { memoryRows, scanStore } from "./scan.ts";
import type { ScanOptions, ScanPorts } from "./scan.ts";
import type { Scope } from "./scope.ts";

export interface RowPage {
  readonly rows: readonly Row[];
  /** The revision up to which the answer is complete. */
  readonly revision: number;
  /** Where the next page begins; absent on the last one. */
  readonly next?: Place;
}

export interface PageQuery {
  readonly scope: Scope;
  readonly filter: RowFilter;
  readonly order: RowOrder;
  readonly after: Place | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  readonly pauses?: BytePauses | undefined;
}

export async function pageOfRows(
  ports: ScanPorts,
  open: OpenKind,
  query: PageQuery,
): Promise<RowPage> {
  return open.source === "memory" ? memoryPage(open, query) : await storePage(ports, open, query);
}

function memoryPage(
  open: Extract<OpenKind, { readonly source: "memory" }>,
  { scope, filter, order, after, limit }: PageQuery,
): RowPage {
  // One row more than the page shows whether there is another page.
  const best = new BestRows(order, limit + 1);
  for (const row of memoryRows(open, scope)) {
    if (!filter(row)) continue;
    const place = order.placeOf(row);
    if (after === undefined || order.compare(after, place) < 0) best.add(row, place);
  }
  const found = best.sorted();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const { revision } = open;
  if (found.length <= limit || last === undefined) return { rows, revision };
  return { rows, revision, next: order.placeOf(last) };
}

/** A page may be short, or empty, and still have a next one: a scan looks at a bounded number. */
async function storePage(
  ports: ScanPorts,
  { projection }: OpenKind,
  { scope, filter, order, after, limit, signal, pauses }: PageQuery,
): Promise<RowPage> {
  if (!order.isNatural) throw tooLargeToSort();
  const rows: Row[] = [];
  const visit = (row: Row): boolean => {
    if (filter(row)) rows.push(row);
    return rows.length < limit;
  };
  const options = { after, maxRows: limits.maxReadModelScanRows, signal, pauses };
  const { revision, next } = await scanStore(ports, projection, scope, visit, options);
  return { rows, revision, ...(next === undefined ? {} : { next: { ...next, values: [] } }) };
}

/** Visits every row in scope, from memory or from the store. Returns the revision. */
export async function eachRow(
  ports: ScanPorts,
  open: OpenKind,
  scope: Scope,
  visit: (row: Row) => void,
  options: Pick<ScanOptions, "signal" | "pauses"> = {},
): Promise<number> {
  if (open.source === "memory") {
    for (const row of memoryRows(open, scope)) visit(row);
    return open.revision;
  }
  const all = (row: Row): boolean => {
    visit(row);
    return true;
  };
  return (await scanStore(ports, open.projection, scope, all, options)).revision;
}

/** The first rows of an order, found in one pass: a page of a large kind needs no full sort. */
class BestRows {
  readonly #order: RowOrder;
  readonly #limit: number;
  #found: { readonly row: Row; readonly place: Place }[] = [];
  /** The last place of a full page: a row after it is not among the first. */
  #last: Place | undefined;

  constructor(order: RowOrder, limit: number) {
    this.#order = order;
    this.#limit = limit;
  }

  add(row: Row, place: Place): void {
    if (this.#last !== undefined && this.#order.compare(this.#last, place) < 0) return;
    this.#found.push({ row, place });
    if (this.#found.length >= 2 * this.#limit + 64) this.#cut();
  }

  sorted(): readonly Row[] {
    this.#cut();
    return this.#found.map(({ row }) => row);
  }

  #cut(): void {
    this.#found = this.#found
      .sort((one, other) => this.#order.compare(one.place, other.place))
      .slice(0, this.#limit);
    this.#last = this.#found[this.#limit - 1]?.place;
  }
}

function tooLargeToSort(): SetpointError {
  const most = limits.maxReadModelKindRows.toLocaleString("en");
  const message = `sort: a kind with more than ${most} resources is sorted by namespace and name`;
  return new SetpointError("request.invalid", message, {
    details: { field: "query.sort" },
    suggestion: "leave out sort, or select one namespace and sort in the client",
  });
}
