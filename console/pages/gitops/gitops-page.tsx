// All deployments: does the target match the commit, and do the objects work.

import { deploymentsKind } from "../../api/gitops.ts";
import { insight } from "../../api/insight.ts";
import { kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { mayOn } from "../../api/rights.ts";
import type { Row } from "../../api/types.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { parseFilter, stateOf, withState } from "../../components/filter-words.ts";
import type { HeldRows } from "../../components/held-rows.ts";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { filterError, listTitle, RowsPanel } from "../../components/rows-panel.tsx";
import { StateIcon, StateLegend } from "../../components/state.tsx";
import { useRows } from "../../components/use-rows.ts";
import type { Rows } from "../../components/use-rows.ts";
import { shortCommit } from "../../format/commit.ts";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { navigate, place } from "../../router/location.ts";
import type { PageProps } from "../../routes.tsx";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, Skeleton } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { CommandLine } from "../../components/command-line.tsx";
import { headlineOf } from "./headline.ts";
import { healthLook, syncLook } from "./looks.ts";
import "./gitops.css";

const text = ({ columns }: Row, key: string): string => {
  const value = columns[key];
  return typeof value === "string" ? value : "";
};

const columns: readonly Column<Row>[] = [
  {
    id: "name",
    title: "Deployment",
    sort: "name",
    render: ({ namespace = "", name }) => (
      <a class="strong" href={paths.deployment(namespace, name)} title={name}>
        {name}
      </a>
    ),
  },
  {
    id: "health",
    title: "Health",
    sort: "columns.health-status",
    value: (row) => text(row, "health-status"),
    render: (row) => (
      <span class="phone-icon">
        <StateIcon look={healthLook(text(row, "health-status"))} />
      </span>
    ),
  },
  {
    id: "sync",
    title: "Sync",
    sort: "columns.sync-status",
    value: (row) => text(row, "sync-status"),
    render: (row) => (
      <span class="phone-icon">
        <StateIcon look={syncLook(text(row, "sync-status"))} />
      </span>
    ),
  },
  {
    id: "namespace",
    title: "Namespace",
    sort: "namespace",
    isWide: true,
    render: ({ namespace }) => namespace,
  },
  {
    id: "revision",
    title: "Commit",
    isWide: true,
    width: "110px",
    value: (row) => text(row, "revision"),
    render: (row) => {
      const revision = text(row, "revision");
      if (revision === "") return <span class="muted">–</span>;
      return (
        <span class="mono small" title={revision}>
          {shortCommit(revision)}
        </span>
      );
    },
  },
  {
    id: "message",
    title: "Message",
    isWide: true,
    render: (row) => (
      <span class="muted" title={text(row, "message")}>
        {text(row, "message")}
      </span>
    ),
  },
  {
    id: "age",
    title: "Created",
    sort: "created",
    width: "130px",
    isWide: true,
    render: ({ created }) => <Time at={created} />,
  },
];

export function GitOpsPage({ query }: PageProps) {
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  const kind = kindNamed(deploymentsKind);
  if (kind === undefined) return <Empty>This server has no GitOps module.</Empty>;
  return <Deployments kind={kind} query={query} />;
}

function change(changes: Readonly<Record<string, string | undefined>>, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

function Deployments({ kind, query }: { kind: KindInfo; query: URLSearchParams }) {
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
  const states = counts.data?.kinds[0]?.states;
  const total = counts.data?.kinds[0]?.total ?? 0;
  const error = parsed.error ?? filterError(rows.error);
  const isNone = rows.held?.rows.length === 0 && rows.held.news === 0 && words === "";
  return (
    <div class="stack">
      <header class="page-head row">
        <h1>{headlineOf(states, total)}</h1>
        <div class="row end">
          <Button
            icon="plus"
            look="main"
            href={paths.create(kind.id, { ns: namespace })}
            off={createOff(kind, namespace)}
          >
            New deployment
          </Button>
        </div>
      </header>
      {!isNone && (
        <div class="row filters">
          <FilterBar
            label="Filter deployments"
            placeholder="name, state:failed, label:team=shop"
            value={words}
            error={error}
            suggestions={["state:failed", "state:drifted", "state:ready", "label:", "ns:"]}
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
      )}
      <RowsPanel
        label="Deployments"
        rows={rows}
        errorTitle={error === undefined ? listTitle(kind, rows.error, namespace) : undefined}
        empty={isNone ? <First namespace={namespace} /> : <NoMatch words={words} />}
        table={(held) => <Table rows={rows} held={held} sort={sort} />}
      />
    </div>
  );
}

function Table({ rows, held, sort }: { rows: Rows; held: HeldRows; sort: string }) {
  return (
    <LiveTable<Row>
      label="Deployments"
      rows={held.rows}
      columns={columns}
      keyOf={({ uid }) => uid}
      nameOf={({ name }) => name}
      hrefOf={({ namespace = "", name }) => paths.deployment(namespace, name)}
      isMuted={({ uid }) => held.muted.has(uid)}
      sort={sort.split(",")[0]}
      onSort={(next) => change({ sort: next })}
      onEnd={rows.next === undefined ? undefined : rows.loadMore}
    />
  );
}

function NoMatch({ words }: { words: string }) {
  return (
    <Empty action={<Button onClick={() => change({ q: undefined })}>Clear filter</Button>}>
      No deployment matches {words}.
    </Empty>
  );
}

/** What to type for the first one. */
function First({ namespace }: { namespace: string }) {
  const target = namespace === "" ? "default" : namespace;
  return (
    <Empty>
      No deployments{namespace === "" ? "" : ` in ${namespace}`}. A deployment keeps the objects of
      a folder of a git repository in a namespace, as its ServiceAccount <code>gitops</code>.
      <CommandLine text={firstDeployment(target)} />
    </Empty>
  );
}

function firstDeployment(namespace: string): string {
  return `kubectl apply -f - <<'EOF'
apiVersion: gitops.setpoint.dev/v1
kind: GitOpsDeployment
metadata: { name: shop, namespace: ${namespace} }
spec:
  source: { repoURL: "https://git.example/shop.git", path: deploy, targetRevision: main }
  type: automated
EOF`;
}

function createOff(kind: KindInfo, namespace: string): string | undefined {
  if (mayOn(kind, { namespace, verb: "create" }) !== false) return undefined;
  return `You may not create ${kind.plural}${namespace === "" ? "" : ` in ${namespace}`}.`;
}
