// The rows of a list while it changes. The order on the page is kept until the user acts: values
// change in place, a row that no longer matches stays and is muted, and new rows are counted.

import type { Row } from "../api/types.ts";

export interface HeldRows {
  readonly rows: readonly Row[];
  /** The uids of rows that no longer match. */
  readonly muted: ReadonlySet<string>;
  /** What the list would be now; shown when the user asks for it. */
  readonly fresh: readonly Row[];
  readonly news: number;
}

export function holdRows(rows: readonly Row[]): HeldRows {
  return { rows, muted: new Set(), fresh: rows, news: 0 };
}

export function patchRows(held: HeldRows, fresh: readonly Row[]): HeldRows {
  const found = new Map(fresh.map((row) => [row.uid, row]));
  const known = new Set(held.rows.map(({ uid }) => uid));
  const rows = held.rows.map((row) => {
    const next = found.get(row.uid);
    // The same object where nothing changed, so that nothing is drawn.
    return next === undefined || next.revision === row.revision ? row : next;
  });
  return {
    rows,
    muted: new Set(held.rows.filter(({ uid }) => !found.has(uid)).map(({ uid }) => uid)),
    fresh,
    news: fresh.filter(({ uid }) => !known.has(uid)).length,
  };
}

export function appendRows(held: HeldRows, more: readonly Row[]): HeldRows {
  const known = new Set(held.rows.map(({ uid }) => uid));
  const added = more.filter(({ uid }) => !known.has(uid));
  return { ...held, rows: [...held.rows, ...added], fresh: [...held.fresh, ...added] };
}
