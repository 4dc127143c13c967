// All clusters: how full the regions are, and what is in the way of each cluster.

import { clustersKind, fleetApi } from "../../api/fleet.ts";
import type { Cluster, Offering } from "../../api/fleet.ts";
import { CommandLine } from "../../components/command-line.tsx";
import { StateIcon } from "../../components/state.tsx";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, sentence, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { CapacityBar } from "./capacity-bar.tsx";
import { limitOf, typesOf } from "./capacity.ts";
import { createOff } from "./create-off.ts";
import type { TabProps } from "./fleet-page.tsx";
import { clustersHeadline } from "./headline.ts";
import { clusterLook, rankOf } from "./looks.ts";
import { useOfferings } from "./use-offerings.ts";

const columns: readonly Column<Cluster>[] = [
  {
    id: "state",
    title: "State",
    width: "160px",
    value: (cluster) => clusterLook(cluster).word,
    render: (cluster) => <StateIcon look={clusterLook(cluster)} />,
  },
  {
    id: "name",
    title: "Cluster",
    render: ({ metadata: { name } }) => (
      <a class="strong mono" href={paths.fleetItem("clusters", name)} title={name}>
        {name}
      </a>
    ),
  },
  {
    id: "capacity",
    title: "Capacity",
    value: ({ status }) => status?.used,
    render: (cluster) => (
      <CapacityBar
        isCell
        label={`Capacity of ${cluster.metadata.name}`}
        used={cluster.status?.used ?? 0}
        total={limitOf(cluster.spec.capacity?.instances)}
      />
    ),
  },
  {
    id: "region",
    title: "Region",
    isWide: true,
    render: ({ spec: { provider, region } }) => (
      <>
        {region} <span class="muted small">{provider}</span>
      </>
    ),
  },
  {
    id: "why",
    title: "What the agent reports",
    isWide: true,
    render: (cluster) => {
      const text = reportText(cluster);
      return (
        <span class="muted" title={text}>
          {text}
        </span>
      );
    },
  },
  {
    id: "reported",
    title: "Reported",
    isWide: true,
    width: "120px",
    render: ({ status }) =>
      status?.report?.at === undefined ? (
        <span class="muted">–</span>
      ) : (
        <Time at={status.report.at} />
      ),
  },
];

export function ClustersTab(_props: TabProps) {
  const { data, error, refetch } = useQuery(
    "fleet clusters",
    async (signal) => await fleetApi.clusters(signal),
    { live: ({ kind }) => kind === clustersKind },
  );
  const offerings = useOfferings();
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} title="The clusters could not be read" />;
  }
  const rows = [...data.items].sort(
    (one, other) =>
      rankOf(clusterLook(one)) - rankOf(clusterLook(other)) ||
      one.spec.region.localeCompare(other.spec.region),
  );
  return (
    <>
      <header class="page-head row">
        <h1>{clustersHeadline(rows)}</h1>
        <div class="row end">
          <Button
            icon="plus"
            look="main"
            href={paths.create(clustersKind)}
            off={createOff(clustersKind)}
          >
            New cluster
          </Button>
        </div>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <Regions offerings={offerings.data?.items ?? []} />
      <section class="panel" aria-label="Clusters">
        {rows.length === 0 ? (
          <First />
        ) : (
          <LiveTable
            label="Clusters"
            rows={rows}
            columns={columns}
            keyOf={({ metadata: { uid, name } }) => uid ?? name}
            nameOf={({ metadata: { name } }) => name}
            hrefOf={({ metadata: { name } }) => paths.fleetItem("clusters", name)}
            foot={
              data.isCut ? (
                <p class="muted small panel-body">
                  The first {rows.length} are shown.{" "}
                  <a class="link" href={paths.kind(clustersKind)}>
                    The Explorer has all
                  </a>
                  .
                </p>
              ) : undefined
            }
          />
        )}
      </section>
    </>
  );
}

function reportText({ status }: Cluster): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const text = status?.failedReason ?? ready?.message ?? "";
  const { reason = "" } = ready ?? {};
  const said = text === "" ? (status?.report?.message ?? "") : text;
  if (ready?.status === "True" || reason === "" || text === status?.failedReason) {
    return said === "" ? "" : sentence(said);
  }
  return [reason, said].filter((part) => part !== "").join(": ");
}

/** How full each region of each offering is, by type. */
function Regions({ offerings }: { offerings: readonly Offering[] }) {
  const shown = offerings.flatMap((offering) => regionsOf(offering));
  if (shown.length === 0) return null;
  return (
    <Panel title="Capacity by region" note="units of the clusters that may host each type">
      <ul class="regions">
        {shown.map(({ key, region, provider, offering, types }) => (
          <li key={key}>
            <h3>
              {region} <span class="muted small">{provider}</span>
              <span class="muted small end">{offering}</span>
            </h3>
            {types.map(({ type, used, total }) => (
              <CapacityBar key={type} label={type} used={used} total={total} />
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function regionsOf({ metadata, spec, status }: Offering) {
  const uses = status?.regions ?? [];
  const keys = [...new Set(uses.map(({ provider, region }) => `${provider} ${region}`))];
  return keys.map((key) => {
    const own = uses.filter(({ provider, region }) => `${provider} ${region}` === key);
    const { provider = "", region = "" } = own[0] ?? {};
    const offering = spec.displayName ?? metadata.name;
    return { key: `${metadata.name} ${key}`, provider, region, offering, types: typesOf(own) };
  });
}

function First() {
  return (
    <Empty>
      No clusters. Instances are placed on clusters. This one is simulated:
      <CommandLine text={firstCluster} />
    </Empty>
  );
}

const firstCluster = `kubectl apply -f - <<'EOF'
apiVersion: fleet.setpoint.dev/v1
kind: DataPlaneCluster
metadata: { name: east-1 }
spec:
  provider: aws
  region: us-east-1
  capacity: { instances: 50 }
  dns: apps.east-1.example.com
  executor: { kind: simulator }
EOF`;
