// Visits the rows of a kind that a caller may list: from memory, or page by page from the store
// when the kind is too large for memory. A scan of the store continues after a place, in the order
// of the store, and ends after a bounded number of rows.

import { bytePauses } from "../../kernel/pauses.ts";
import type { BytePauses } from "../../kernel/pauses.ts";
import type { LiveView } from "../live-view.ts";
import type { Store } from "../../store/port.ts";
import { bytesOf } from "./read-model.ts";
import type { OpenKind } from "./read-model.ts";
import type { Projection, Row } from "./row.ts";
import type { Scope } from "./scope.ts";

export interface ScanPorts {
  readonly store: Pick<Store, "list" | "head">;
  readonly live: Pick<LiveView, "all">;
}

/** Where a scan of the store continues. */
export interface ScanPlace {
  readonly namespace: string;
  readonly name: string;
}

export interface ScanOptions {
  readonly after?: ScanPlace | undefined;
  /** Rows to look at; all when left out. */
  readonly maxRows?: number;
  readonly signal?: AbortSignal | undefined;
  /** Between pages; those of no tenant when left out. */
  readonly pauses?: BytePauses | undefined;
}

export interface Scanned {
  readonly revision: number;
  /** Present when rows are left. */
  readonly next?: ScanPlace;
}

/** Return false from `visit` to end the scan after this row. */
export type VisitRow = (row: Row) => boolean | undefined;

/** In no promised order. */
export function* memoryRows(
  { rows }: Extract<OpenKind, { readonly source: "memory" }>,
  scope: Scope,
): Generator<Row> {
  const places = scope.namespace === undefined ? rows.namespaces : [scope.namespace];
  for (const namespace of places) {
    if (scope.allows(namespace)) yield* rows.in(namespace);
  }
}

/** In the order of the store: by namespace and name. */
export async function scanStore(
  ports: ScanPorts,
  projection: Projection,
  scope: Scope,
  visit: VisitRow,
  options: ScanOptions = {},
): Promise<Scanned> {
  const { after, maxRows = Number.POSITIVE_INFINITY, signal, pauses = bytePauses("") } = options;
  let seen = 0;
  let revision = 0;
  for (const namespace of placesOf(ports, scope)) {
    const isBefore = after !== undefined && namespace !== undefined && namespace < after.namespace;
    if (isBefore) continue;
    const isSame = after !== undefined && (namespace ?? after.namespace) === after.namespace;
    let start: ScanPlace | undefined = isSame ? after : undefined;
    for (;;) {
      signal?.throwIfAborted();
      const page = await pageAfter(ports, projection, namespace, start);
      revision = Math.max(revision, page.revision);
      for (const record of page.records) {
        const { namespace: place, name } = record.key;
        seen += 1;
        const wantsMore = visit(projection.rowOf(record));
        if (wantsMore === false || seen >= maxRows) {
          return { revision, next: { namespace: place, name } };
        }
      }
      await pauses(bytesOf(page.records));
      const last = page.next;
      if (last === undefined) break;
      start = { namespace: last.namespace, name: last.name };
    }
  }
  return { revision };
}

/** Undefined stands for all namespaces. */
function placesOf({ live }: ScanPorts, scope: Scope): readonly (string | undefined)[] {
  if (scope.isWhole) return [undefined];
  if (scope.namespace !== undefined) {
    return scope.allows(scope.namespace) ? [scope.namespace] : [];
  }
  const names = [...live.all("namespaces")].map(({ key }) => key.name);
  return names.filter((name) => scope.allows(name)).sort();
}

const pageRows = 1_000;

/** Each page is of the newest snapshot, so a scan never fails because history was compacted. */
async function pageAfter(
  { store }: ScanPorts,
  { served }: Projection,
  namespace: string | undefined,
  start: ScanPlace | undefined,
): ReturnType<Store["list"]> {
  const query = {
    kind: served.id,
    limit: pageRows,
    ...(namespace === undefined ? {} : { namespace }),
  };
  if (start === undefined) return await store.list(query);
  const { revision } = await store.head();
  return await store.list({ ...query, from: { revision, ...start } });
}
