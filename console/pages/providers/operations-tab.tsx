import { armIdOf, armOperationsKind } from "../../api/providers.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { parseFilter } from "../../components/filter-words.ts";
import { filterError, listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { StateIcon } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import { paths, withQuery } from "../../paths.ts";
import { navigate, place } from "../../router/location.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { operationLook } from "./looks.ts";

const text = ({ columns }: Row, key: string): string => String(columns[key] ?? "");
const explorerOf = ({ namespace = "", name }: Row): string =>
  paths.resource({ kind: armOperationsKind, namespace, name }, "status");

const columns: readonly Column<Row>[] = [
  {
    id: "state",
    title: "State",
    sort: "columns.state",
    width: "150px",
    value: (row) => text(row, "state"),
    render: (row) => <StateIcon look={operationLook(text(row, "state"))} />,
  },
  {
    id: "operation",
    title: "Operation",
    sort: "columns.verb",
    width: "180px",
    render: (row) => (
      <a class="strong" href={explorerOf(row)} title={row.name}>
        {[text(row, "verb"), text(row, "action")].filter((part) => part !== "").join(" ")}
      </a>
    ),
  },
  {
    id: "resource",
    title: "Resource",
    sort: "columns.resource",
    render: (row) => {
      const id = text(row, "resource");
      const { name, type, group } = armIdOf(id) ?? { name: id, type: "", group: "" };
      return (
        <span title={id}>
          <span class="mono">{name}</span>{" "}
          <span class="muted small wide-only">
            {type} in {group}
          </span>
        </span>
      );
    },
  },
  {
    id: "age",
    title: "Accepted",
    sort: "created",
    width: "130px",
    isWide: true,
    render: ({ created }) => <Time at={created} />,
  },
];

interface OperationsProps {
  readonly namespace: string;
  readonly query: URLSearchParams;
}

function change(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

export function OperationsTab({ namespace, query }: OperationsProps) {
  const words = query.get("q") ?? "";
  const parsed = parseFilter(words);
  const sort = query.get("sort") ?? "-created";
  const rows = useRows({ kind: armOperationsKind, ...parsed.query, namespace, sort });
  const kind = kindNamed(armOperationsKind);
  const error = parsed.error ?? filterError(rows.error);
  if (kind === undefined) return <Empty>No provider is registered.</Empty>;
  return (
    <>
      <FilterBar
        label="Filter operations"
        placeholder="columns.state=Failed, columns.resource~ovens"
        value={words}
        error={error}
        suggestions={["columns.state=Failed", "columns.state=Accepted", "columns.verb=delete"]}
        onChange={(q) => change({ q }, true)}
      />
      <RowsPanel
        label="Operations"
        rows={rows}
        errorTitle={error === undefined ? listTitle(kind, rows.error, namespace) : undefined}
        empty={
          <Empty>
            {words === "" ? "No operations are recorded." : `No operation matches ${words}.`}
          </Empty>
        }
        table={(held) => (
          <LiveTable<Row>
            label="Operations"
            rows={held.rows}
            columns={columns}
            keyOf={({ uid }) => uid}
            nameOf={({ name }) => name}
            hrefOf={explorerOf}
            isMuted={({ uid }) => held.muted.has(uid)}
            sort={sort.split(",")[0]}
            onSort={(next) => change({ sort: next })}
            onEnd={rows.next === undefined ? undefined : rows.loadMore}
          />
        )}
      />
    </>
  );
}
