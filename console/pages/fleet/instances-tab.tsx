// The instances of an offering. The server filters, sorts and counts.

import { instanceKindOf, offeringsKind, organisationOf } from "../../api/fleet.ts";
import type { Offering } from "../../api/fleet.ts";
import { insight } from "../../api/insight.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { KindCount, Row } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { parseFilter, stateOf, withState } from "../../components/filter-words.ts";
import type { HeldRows } from "../../components/held-rows.ts";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { filterError, listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { StateIcon, StateLegend } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import type { Rows } from "../../components/use-rows.ts";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { createOff } from "./create-off.ts";
import type { TabProps } from "./fleet-page.tsx";
import { instancesHeadline } from "./headline.ts";
import { instanceLook } from "./looks.ts";
import { useOfferings } from "./use-offerings.ts";

const text = ({ columns }: Row, key: string): string => {
  const value = columns[key];
  return typeof value === "string" ? value : "";
};

function plain(id: string, title: string, more: Partial<Column<Row>> = {}): Column<Row> {
  return {
    id,
    title,
    sort: `columns.${id}`,
    isWide: true,
    value: (row) => text(row, id),
    render: (row) => text(row, id) || <span class="muted">–</span>,
    ...more,
  };
}

function columnsOf(offering: string): readonly Column<Row>[] {
  return [
    {
      id: "phase",
      title: "State",
      sort: "columns.status",
      width: "150px",
      value: (row) => text(row, "status"),
      render: (row) => <StateIcon look={instanceLook(text(row, "status"))} />,
    },
    {
      id: "name",
      title: "Instance",
      sort: "name",
      render: ({ namespace = "", name }) => (
        <a class="strong mono" href={paths.fleetInstance(offering, namespace, name)} title={name}>
          {name}
        </a>
      ),
    },
    {
      id: "organisation",
      title: "Organisation",
      sort: "namespace",
      isWide: true,
      render: ({ namespace = "" }) => organisationOf(namespace),
    },
    plain("owner", "Owner"),
    plain("region", "Region"),
    plain("type", "Type"),
    plain("cluster", "Cluster", {
      render: (row) => {
        const cluster = text(row, "cluster");
        if (cluster === "") return <span class="muted">none</span>;
        return (
          <a class="mono small" href={paths.fleetItem("clusters", cluster)}>
            {cluster}
          </a>
        );
      },
    }),
    plain("version", "Version", { width: "100px" }),
    {
      id: "age",
      title: "Created",
      sort: "created",
      width: "120px",
      isWide: true,
      render: ({ created }) => <Time at={created} />,
    },
  ];
}

export function InstancesTab({ query }: TabProps) {
  const { data, error, refetch } = useOfferings();
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} title="The offerings could not be read" />;
  }
  const wanted = query.get("offering");
  const offering = data.items.find(({ metadata }) => metadata.name === wanted) ?? data.items[0];
  if (offering === undefined) {
    return (
      <>
        <h1>Instances</h1>
        <Empty
          action={
            <Button
              look="main"
              icon="plus"
              href={paths.create(offeringsKind)}
              off={createOff(offeringsKind)}
            >
              New offering
            </Button>
          }
        >
          No offerings. An offering declares a managed service, and the kind of its instances.
        </Empty>
      </>
    );
  }
  const kind = kindNamed(instanceKindOf(offering));
  const others = data.items.length > 1;
  return (
    <>
      {others && <Choices offerings={data.items} current={offering} />}
      {kind === undefined ? (
        <Empty>The kind {offering.spec.instances.kind} is not served yet.</Empty>
      ) : (
        <Instances key={kind.id} kind={kind} offering={offering} query={query} />
      )}
    </>
  );
}

function Choices({ offerings, current }: { offerings: readonly Offering[]; current: Offering }) {
  return (
    <nav class="row" aria-label="Offerings">
      {offerings.map(({ metadata: { name }, spec }) => (
        <a
          key={name}
          class="chip"
          href={withQuery(place.value.href, { offering: name })}
          aria-current={name === current.metadata.name ? "true" : undefined}
        >
          {spec.displayName ?? name}
        </a>
      ))}
    </nav>
  );
}

interface InstancesProps {
  readonly kind: KindInfo;
  readonly offering: Offering;
  readonly query: URLSearchParams;
}

function change(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

function Instances({ kind, offering, query }: InstancesProps) {
  const words = query.get("q") ?? "";
  const parsed = parseFilter(words);
  const namespace = parsed.query.namespace ?? currentNamespace();
  const sort = query.get("sort") ?? "state,name";
  const rows = useRows({ kind: kind.id, ...parsed.query, namespace, sort });
  const counts = useQuery(
    `counts ${kind.id} ${namespace}`,
    async (signal) => await insight.counts({ kind: kind.id, namespace }, signal),
    { live: (each) => each.kind === kind.id },
  );
  const { states, total = 0 } = counts.data?.kinds[0] ?? {};
  const error = parsed.error ?? filterError(rows.error);
  const isNone = rows.held?.rows.length === 0 && rows.held.news === 0 && words === "";
  return (
    <>
      <header class="page-head row">
        <h1>{instancesHeadline(kind.kind, states, total)}</h1>
        <div class="row end">
          <Button
            icon="plus"
            look="main"
            href={paths.create(kind.id, { ns: namespace })}
            off={createOff(kind.id, namespace)}
          >
            New {kind.kind}
          </Button>
        </div>
      </header>
      {!isNone && <Filters words={words} states={states} error={error} />}
      <RowsPanel
        label="Instances"
        rows={rows}
        errorTitle={error === undefined ? listTitle(kind, rows.error, namespace) : undefined}
        empty={
          isNone ? (
            <Empty>No instances{namespace === "" ? "" : ` in ${namespace}`}.</Empty>
          ) : (
            <Empty action={<Button onClick={() => change({ q: undefined })}>Clear filter</Button>}>
              No instance matches {words}.
            </Empty>
          )
        }
        table={(held) => (
          <Table rows={rows} held={held} sort={sort} offering={offering.metadata.name} />
        )}
      />
    </>
  );
}

interface FiltersProps {
  readonly words: string;
  readonly states: KindCount["states"] | undefined;
  readonly error: string | undefined;
}

function Filters({ words, states, error }: FiltersProps) {
  return (
    <div class="row filters">
      <FilterBar
        label="Filter instances"
        placeholder="name, state:failed, columns.region=eu-west-1"
        value={words}
        error={error}
        suggestions={[
          "columns.status=failed",
          "columns.cluster=",
          "columns.region=",
          "columns.owner=",
          "state:ready",
        ]}
        onChange={(q) => change({ q }, true)}
      />
      {states !== undefined && (
        <StateLegend
          states={states}
          current={stateOf(words)}
          hrefOf={(state) =>
            withQuery(place.value.href, {
              q: withState(words, stateOf(words) === state ? undefined : state),
            })
          }
        />
      )}
    </div>
  );
}

interface TableProps {
  readonly rows: Rows;
  readonly held: HeldRows;
  readonly sort: string;
  readonly offering: string;
}

function Table({ rows, held, sort, offering }: TableProps) {
  return (
    <LiveTable<Row>
      label="Instances"
      rows={held.rows}
      columns={columnsOf(offering)}
      keyOf={({ uid }) => uid}
      nameOf={({ name }) => name}
      hrefOf={({ namespace = "", name }) => paths.fleetInstance(offering, namespace, name)}
      isMuted={({ uid }) => held.muted.has(uid)}
      sort={sort.split(",")[0]}
      onSort={(next) => change({ sort: next })}
      onEnd={rows.next === undefined ? undefined : rows.loadMore}
    />
  );
}
