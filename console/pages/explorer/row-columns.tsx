// The columns of a list: those of every kind, and the printer columns of this one.

import type { KindInfo } from "../../api/kinds.ts";
import type { Row, RowColumn } from "../../api/types.ts";
import { StateIcon } from "../../components/state.tsx";
import { amountText } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { lookOf } from "../../states/states.ts";
import type { Column } from "../../table/live-table.tsx";
import { Time } from "../../ui/time.tsx";

interface Options {
  readonly hasNamespace: boolean;
  /** The keys of the printer columns that are shown; none: the usual ones. */
  readonly shown: readonly string[] | undefined;
}

/** They say what the state says. */
const repeated = new Set(["ready", "synced", "reason", "age", "status", "state"]);

export function usualColumns(columns: readonly RowColumn[]): readonly string[] {
  return columns.filter(({ key }) => !repeated.has(key)).map(({ key }) => key);
}

export function columnsOf(
  kind: KindInfo,
  printed: readonly RowColumn[],
  { hasNamespace, shown = usualColumns(printed) }: Options,
): readonly Column<Row>[] {
  return [
    {
      id: "state",
      title: "State",
      sort: "state",
      width: "150px",
      value: ({ state }) => state,
      render: ({ state, reason }) => {
        const look = lookOf(state);
        return (
          <span title={reason}>
            <StateIcon look={look} />
          </span>
        );
      },
    },
    {
      id: "name",
      title: "Name",
      sort: "name",
      render: ({ namespace = "", name }) => (
        <a class="strong" href={paths.resource({ kind: kind.id, namespace, name })} title={name}>
          {name}
        </a>
      ),
    },
    ...(hasNamespace
      ? [
          {
            id: "namespace",
            title: "Namespace",
            sort: "namespace",
            isWide: true,
            render: ({ namespace }: Row) => namespace,
          },
        ]
      : []),
    ...printed.filter(({ key }) => shown.includes(key)).map(printedColumn),
    {
      id: "age",
      title: "Created",
      sort: "created",
      width: "130px",
      isWide: true,
      render: ({ created }) => <Time at={created} />,
    },
  ];
}

function printedColumn({ key, title, type }: RowColumn): Column<Row> {
  return {
    id: `columns.${key}`,
    title,
    sort: `columns.${key}`,
    isWide: true,
    ...(type === "number" ? { align: "right" as const } : {}),
    value: ({ columns }) => columns[key],
    render: ({ columns }) => {
      const value = columns[key];
      if (value === null || value === undefined) return <span class="muted">–</span>;
      if (typeof value === "number") return amountText(value);
      return <span title={String(value)}>{String(value)}</span>;
    },
  };
}
