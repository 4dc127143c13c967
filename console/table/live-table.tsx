// A table whose values change in place. Rows and the scroll position move only when the user acts.

import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { navigate } from "../router/location.ts";
import { Icon } from "../ui/icon.tsx";
import { rowKeys } from "./row-keys.ts";
import { visibleWindow } from "./window.ts";
import "../ui/panel.css";
import "./live-table.css";

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  readonly render: (row: T) => ComponentChildren;
  readonly align?: "right";
  /** Left out on a phone. */
  readonly isWide?: boolean;
  /** The field by which the server sorts; none: it cannot. */
  readonly sort?: string;
  readonly width?: string;
  /** When the value changes, the cell is marked for 600 ms. */
  readonly value?: (row: T) => string | number | boolean | null | undefined;
}

export interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  readonly toggleAll: () => void;
  readonly isAll: boolean;
}

export interface LiveTableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly nameOf: (row: T) => string;
  readonly hrefOf?: (row: T) => string | undefined;
  /** Rows that no longer match the filter. */
  readonly isMuted?: (row: T) => boolean;
  /** "-created" */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  readonly selection?: Selection;
  /** More than what is held, when it is known. */
  readonly total?: number | undefined;
  readonly onEnd?: (() => void) | undefined;
  readonly menuOf?: (row: T) => ComponentChildren;
  readonly foot?: ComponentChildren;
}

const usualHeight = 37;

export function LiveTable<T>(props: LiveTableProps<T>) {
  const { rows, columns, label, total, onEnd, selection } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 900, rowHeight: usualHeight });
  const active = useSignal(-1);
  const measure = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const row = element.querySelector<HTMLElement>("tbody tr[data-row]");
    const rowHeight = row?.offsetHeight ?? usualHeight;
    const { scrollTop: top, clientHeight: height, scrollHeight } = element;
    const before = view.peek();
    if (before.top !== top || before.height !== height || before.rowHeight !== rowHeight) {
      view.value = { top, height, rowHeight };
    }
    if (onEnd !== undefined && scrollHeight - top - height < height) onEnd();
  };
  useLayoutEffect(measure, [rows.length]);
  useEffect(() => {
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  });
  const shown = visibleWindow(rows.length, view.value);
  const span = columns.length + (selection === undefined ? 0 : 1) + (props.menuOf ? 1 : 0);
  const onKey = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const next = rowKeys(event, { active: active.value, count: rows.length });
    if (next === undefined) return;
    event.preventDefault();
    const row = rows[next.row];
    if (next.kind === "move") {
      active.value = next.row;
      focusRow(scroller.current, next.row, view.peek().rowHeight);
    } else if (row !== undefined && next.kind === "open") {
      const href = props.hrefOf?.(row);
      if (href !== undefined) navigate(href);
    } else if (row !== undefined) selection?.toggle(props.keyOf(row));
  };
  return (
    <div ref={scroller} class="live-table" onScroll={measure} onKeyDown={onKey}>
      <table class="table rows" aria-label={label} aria-rowcount={(total ?? rows.length) + 1}>
        <Head {...props} />
        <tbody>
          {shown.before > 0 && <Space height={shown.before} span={span} />}
          {rows.slice(shown.first, shown.end).map((row, at) => (
            <TableRow
              key={props.keyOf(row)}
              {...props}
              row={row}
              index={shown.first + at}
              isActive={active.value === shown.first + at}
            />
          ))}
          {shown.after > 0 && <Space height={shown.after} span={span} />}
        </tbody>
      </table>
      {props.foot}
    </div>
  );
}

function Space({ height, span }: { height: number; span: number }) {
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  );
}

function Head<T>({ columns, selection, sort = "", onSort, menuOf }: LiveTableProps<T>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection !== undefined && (
          <th scope="col" class="cell-check">
            <input
              type="checkbox"
              aria-label="Select all"
              checked={selection.isAll}
              onChange={selection.toggleAll}
            />
          </th>
        )}
        {columns.map((column) => {
          const field = column.sort;
          const isSorted = field !== undefined && sort.replace(/^-/, "") === field;
          const direction = sort.startsWith("-") ? "descending" : "ascending";
          const next = isSorted && direction === "ascending" ? `-${field}` : field;
          return (
            <th
              key={column.id}
              scope="col"
              class={classOf(column)}
              aria-sort={isSorted ? direction : undefined}
              {...(column.width === undefined ? {} : { style: { width: column.width } })}
            >
              {field === undefined || onSort === undefined ? (
                column.title
              ) : (
                <button type="button" class="sort" onClick={() => onSort(next ?? field)}>
                  {column.title}
                  {isSorted && <Icon name={direction === "ascending" ? "up" : "down"} />}
                </button>
              )}
            </th>
          );
        })}
        {menuOf !== undefined && (
          <th scope="col" class="cell-menu">
            <span class="visually-hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

type RowProps<T> = LiveTableProps<T> & {
  readonly row: T;
  readonly index: number;
  readonly isActive: boolean;
};

function TableRow<T>(props: RowProps<T>) {
  const { row, index, isActive, columns, keyOf, nameOf, selection, menuOf } = props;
  const key = keyOf(row);
  const isSelected = selection?.keys.has(key) === true;
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selection === undefined ? undefined : isSelected}
      tabIndex={isActive || index === 0 ? 0 : -1}
      class={props.isMuted?.(row) === true ? "row-muted" : ""}
    >
      {selection !== undefined && (
        <td class="cell-check">
          <input
            type="checkbox"
            aria-label={`Select ${nameOf(row)}`}
            checked={isSelected}
            onChange={() => selection.toggle(key)}
          />
        </td>
      )}
      {columns.map((column) => (
        <Cell key={column.id} column={column} row={row} />
      ))}
      {menuOf !== undefined && <td class="cell-menu">{menuOf(row)}</td>}
    </tr>
  );
}

function Cell<T>({ column, row }: { column: Column<T>; row: T }) {
  const value = column.value?.(row);
  const before = useRef(value);
  const cell = useRef<HTMLTableCellElement>(null);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    const element = cell.current;
    if (element === null) return;
    element.classList.remove("changed");
    requestAnimationFrame(() => element.classList.add("changed"));
  }, [value]);
  return (
    <td ref={cell} class={classOf(column)}>
      {column.render(row)}
    </td>
  );
}

function classOf<T>({ align, isWide }: Column<T>): string {
  return [align === "right" ? "right" : "", isWide === true ? "wide-only" : ""].join(" ");
}

function focusRow(root: HTMLDivElement | null, index: number, rowHeight: number): void {
  if (root === null) return;
  const found = root.querySelector<HTMLElement>(`tr[data-row="${index}"]`);
  if (found === null) root.scrollTop = Math.max(0, (index - 3) * rowHeight);
  requestAnimationFrame(() => {
    const row = root.querySelector<HTMLElement>(`tr[data-row="${index}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  });
}
