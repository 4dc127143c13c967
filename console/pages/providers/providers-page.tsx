// The Resource Manager: subscriptions with their resources, and what this server provides.

import { namespaceOfSubscription, providersApi, subscriptionsKind } from "../../api/providers.ts";
import { insight } from "../../api/insight.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { parseFilter } from "../../components/filter-words.ts";
import { filterError, listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { StateBar, StateIcon } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import { CommandLine } from "../../components/command-line.tsx";
import { countText, plural } from "../../format/number.ts";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import type { PageProps } from "../../routes.tsx";
import { sumStates } from "../../states/states.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { subscriptionLook } from "./looks.ts";
import "./providers.css";

const armGroup = ".arm.setpoint.dev";

const columns: readonly Column<Row>[] = [
  {
    id: "state",
    title: "State",
    sort: "columns.state",
    width: "150px",
    value: ({ columns: values }) => values["state"],
    render: ({ columns: values }) => (
      <StateIcon look={subscriptionLook(String(values["state"] ?? ""))} />
    ),
  },
  {
    id: "name",
    title: "Subscription",
    sort: "name",
    render: ({ name }) => (
      <a class="strong mono" href={paths.subscription(name)} title={name}>
        {name}
      </a>
    ),
  },
  {
    id: "resources",
    title: "Resources",
    isWide: true,
    render: ({ name }) => <ResourceStates subscription={name} />,
  },
  {
    id: "age",
    title: "Registered",
    sort: "created",
    width: "140px",
    isWide: true,
    render: ({ created }) => <Time at={created} />,
  },
];

export function ProvidersPage({ query }: PageProps) {
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(subscriptionsKind);
  if (kind === undefined) {
    return <Empty>No provider is registered. A module with a face registers one.</Empty>;
  }
  return <Subscriptions kind={kind} query={query} />;
}

function change(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

function Subscriptions({ kind, query }: { kind: KindInfo; query: URLSearchParams }) {
  const words = query.get("q") ?? "";
  const parsed = parseFilter(words);
  const sort = query.get("sort") ?? "-columns.state,name";
  const rows = useRows({ kind: kind.id, ...parsed.query, sort });
  const counts = useQuery(
    `counts ${kind.id}`,
    async (signal) => await insight.counts({ kind: kind.id }, signal),
    { live: (each) => each.kind === kind.id },
  );
  const total = counts.data?.kinds[0]?.total ?? 0;
  const error = parsed.error ?? filterError(rows.error);
  const isNone = rows.held?.rows.length === 0 && rows.held.news === 0 && words === "";
  return (
    <div class="stack providers">
      <header class="page-head row">
        <h1>{plural(total, "subscription")}</h1>
      </header>
      <div class="columns">
        <div class="stack">
          {!isNone && (
            <FilterBar
              label="Filter subscriptions"
              placeholder="id, columns.state=Warned"
              value={words}
              error={error}
              suggestions={["columns.state=Registered", "columns.state=Warned"]}
              onChange={(q) => change({ q }, true)}
            />
          )}
          <RowsPanel
            label="Subscriptions"
            rows={rows}
            errorTitle={error === undefined ? listTitle(kind, rows.error, "") : undefined}
            empty={isNone ? <First /> : <NoMatch words={words} />}
            table={(held) => (
              <LiveTable<Row>
                label="Subscriptions"
                rows={held.rows}
                columns={columns}
                keyOf={({ uid }) => uid}
                nameOf={({ name }) => name}
                hrefOf={({ name }) => paths.subscription(name)}
                isMuted={({ uid }) => held.muted.has(uid)}
                sort={sort.split(",")[0]}
                onSort={(next) => change({ sort: next })}
                onEnd={rows.next === undefined ? undefined : rows.loadMore}
              />
            )}
          />
        </div>
        <Types />
      </div>
    </div>
  );
}

/** Read for the rows that are on the screen alone. */
function ResourceStates({ subscription }: { subscription: string }) {
  const namespace = namespaceOfSubscription(subscription);
  const { data } = useQuery(
    `counts in ${namespace}`,
    async (signal) => await insight.counts({ namespace }, signal),
    { live: (each) => each.namespace === namespace },
  );
  const own = (data?.kinds ?? []).filter(({ kind }) => !kind.endsWith(armGroup));
  const total = own.reduce((sum, each) => sum + each.total, 0);
  if (data === undefined) return null;
  if (total === 0) return <span class="muted">none</span>;
  return (
    <span class="resource-states">
      {countText(total)}
      <StateBar states={sumStates(own)} isSmall />
    </span>
  );
}

function Types() {
  const { data, error, refetch } = useQuery(
    "provided types",
    async (signal) => await providersApi.types(signal),
    { live: ({ kind }) => kind === "armfaces.arm.setpoint.dev" },
  );
  return (
    <Panel title="Providers" note="types that this server provides">
      {error !== undefined && (
        <ErrorPanel error={error} onRetry={refetch} title="The types could not be read" />
      )}
      {data === undefined && error === undefined && <Skeleton />}
      {data?.length === 0 && (
        <Empty>No kind has a face. A module or an ArmFace declares one.</Empty>
      )}
      <ul class="types">
        {(data ?? []).map(({ provider, types, versions }) => (
          <li key={provider}>
            <b class="mono">{provider}</b>
            <span class="muted small">api-versions {versions.join(", ")}</span>
            <ul>
              {types.map((type) => (
                <li key={type} class="mono small">
                  {type}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NoMatch({ words }: { words: string }) {
  return (
    <Empty action={<Button onClick={() => change({ q: undefined })}>Clear filter</Button>}>
      No subscription matches {words}.
    </Empty>
  );
}

function First() {
  return (
    <Empty>
      No subscriptions. The Resource Manager registers each one that uses a provider of this server:
      <CommandLine text={firstSubscription} />
    </Empty>
  );
}

const firstSubscription = `kubectl create --raw \\
  '/subscriptions/11111111-2222-3333-4444-555555555555?api-version=2.0' -f - <<'EOF'
{"state": "Registered"}
EOF`;
