// The customers. There can be many, so the server filters, sorts and pages.

import { organisationsKind } from "../../api/fleet.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { parseFilter } from "../../components/filter-words.ts";
import { filterError, listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { StateIcon, StateOf } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import { paths, withQuery } from "../../paths.ts";
import { navigate, place } from "../../router/location.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { createOff } from "./create-off.ts";
import type { TabProps } from "./fleet-page.tsx";

const columns: readonly Column<Row>[] = [
  {
    id: "state",
    title: "State",
    sort: "state",
    width: "150px",
    value: ({ state, columns: values }) => `${state} ${String(values["denied"])}`,
    render: ({ state, columns: values }) =>
      values["denied"] === true ? (
        <StateIcon look={{ tone: "paused", word: "Denied" }} />
      ) : (
        <StateOf state={state} />
      ),
  },
  {
    id: "name",
    title: "Organisation",
    sort: "name",
    render: ({ name }) => (
      <a class="strong mono" href={paths.fleetItem("organisations", name)} title={name}>
        {name}
      </a>
    ),
  },
  {
    id: "display",
    title: "Name",
    sort: "columns.display-name",
    render: ({ columns: values }) => String(values["display-name"] ?? ""),
  },
  {
    id: "age",
    title: "Created",
    sort: "created",
    width: "140px",
    isWide: true,
    render: ({ created }) => <Time at={created} />,
  },
];

export function OrganisationsTab({ query }: TabProps) {
  const kind = kindNamed(organisationsKind);
  if (kind === undefined) return <Empty>This server has no fleet module.</Empty>;
  return <Organisations kind={kind} query={query} />;
}

function change(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

function Organisations({ kind, query }: TabProps & { readonly kind: KindInfo }) {
  const words = query.get("q") ?? "";
  const parsed = parseFilter(words);
  const sort = query.get("sort") ?? "state,name";
  const rows = useRows({ kind: kind.id, ...parsed.query, sort });
  const error = parsed.error ?? filterError(rows.error);
  return (
    <>
      <header class="page-head row">
        <h1>Organisations</h1>
        <div class="row end">
          <Button icon="plus" look="main" href={paths.create(kind.id)} off={createOff(kind.id)}>
            New organisation
          </Button>
        </div>
      </header>
      <div class="row filters">
        <FilterBar
          label="Filter organisations"
          placeholder="name, columns.display-name~garden"
          value={words}
          error={error}
          suggestions={["columns.denied=true", "columns.display-name~", "state:failed"]}
          onChange={(q) => change({ q }, true)}
        />
      </div>
      <RowsPanel
        label="Organisations"
        rows={rows}
        errorTitle={error === undefined ? listTitle(kind, rows.error, "") : undefined}
        empty={
          <Empty>
            {words === ""
              ? "No organisations. One is created when a member first uses a service."
              : `No organisation matches ${words}.`}
          </Empty>
        }
        table={(held) => (
          <LiveTable<Row>
            label="Organisations"
            rows={held.rows}
            columns={columns}
            keyOf={({ uid }) => uid}
            nameOf={({ name }) => name}
            hrefOf={({ name }) => paths.fleetItem("organisations", name)}
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
