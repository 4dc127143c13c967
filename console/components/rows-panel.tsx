// The rows of a list, and what is shown in their place: errors, nothing found, new rows.

import type { ComponentChildren } from "preact";
import { ApiError } from "../api/errors.ts";
import type { KindInfo } from "../api/kinds.ts";
import { countText } from "../format/number.ts";
import { ErrorPanel, Skeleton } from "../ui/notice.tsx";
import type { HeldRows } from "./held-rows.ts";
import { mostRows } from "./use-rows.ts";
import type { Rows } from "./use-rows.ts";
import "./rows-panel.css";

interface RowsPanelProps {
  readonly label: string;
  readonly rows: Rows;
  /** None: the error is shown at the filter. */
  readonly errorTitle: string | undefined;
  readonly empty: ComponentChildren;
  readonly table: (held: HeldRows) => ComponentChildren;
}

export function RowsPanel({ label, rows, errorTitle, empty, table }: RowsPanelProps) {
  const { held, error } = rows;
  return (
    <section class="panel" aria-label={label}>
      {error !== undefined && errorTitle !== undefined && (
        <ErrorPanel error={error} onRetry={rows.refetch} title={errorTitle} />
      )}
      {held === undefined && error === undefined && <Skeleton lines={8} />}
      {held !== undefined && held.rows.length === 0 && held.news === 0 && empty}
      {held !== undefined && held.news > 0 && (
        <button type="button" class="news" onClick={rows.showNews}>
          {countText(held.news)} new {held.news === 1 ? "row matches" : "rows match"} ·{" "}
          <span class="link">Show</span>
        </button>
      )}
      {held !== undefined && held.rows.length > 0 && table(held)}
      {rows.isFull && rows.next !== undefined && (
        <p class="muted small panel-body">
          The first {countText(mostRows)} rows are shown. Filter to find others.
        </p>
      )}
    </section>
  );
}

/** What is wrong with the filter belongs to its field. */
export function filterError(error: Error | undefined): string | undefined {
  return error instanceof ApiError && error.status === 400 ? error.message : undefined;
}

export function listTitle(kind: KindInfo, error: Error | undefined, namespace: string): string {
  const where = namespace === "" ? "" : ` in ${namespace}`;
  if (error instanceof ApiError && error.status === 403) {
    return `You may not list ${kind.plural}${where}.`;
  }
  return "The list could not be read";
}
