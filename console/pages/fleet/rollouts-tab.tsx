// All rollouts of versions: which one runs, and which one stopped at a gate.

import { fleetApi, rolloutsKind } from "../../api/fleet.ts";
import type { Rollout } from "../../api/fleet.ts";
import { CommandLine } from "../../components/command-line.tsx";
import { StateIcon } from "../../components/state.tsx";
import { countText } from "../../format/number.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { createOff } from "./create-off.ts";
import type { TabProps } from "./fleet-page.tsx";
import { rolloutsHeadline } from "./headline.ts";
import { rankOf, rolloutLook } from "./looks.ts";
import { versionsText } from "./versions-text.ts";
import { WavePips } from "./wave-pips.tsx";
import { wavesOf } from "./waves.ts";

const columns: readonly Column<Rollout>[] = [
  {
    id: "state",
    title: "State",
    width: "150px",
    value: (rollout) => rolloutLook(rollout).word,
    render: (rollout) => <StateIcon look={rolloutLook(rollout)} />,
  },
  {
    id: "name",
    title: "Rollout",
    render: ({ metadata: { name } }) => (
      <a class="strong mono" href={paths.fleetItem("rollouts", name)} title={name}>
        {name}
      </a>
    ),
  },
  {
    id: "waves",
    title: "Waves",
    width: "150px",
    isWide: true,
    value: ({ status }) => status?.wave,
    render: (rollout) => <WavePips waves={wavesOf(rollout)} />,
  },
  {
    id: "updated",
    title: "Updated",
    align: "right",
    width: "110px",
    value: ({ status }) => status?.updated,
    render: ({ status = {} }) =>
      `${countText(status.updated ?? 0)} of ${countText(status.total ?? 0)}`,
  },
  {
    id: "failed",
    title: "Failed",
    align: "right",
    width: "90px",
    isWide: true,
    value: ({ status }) => status?.failed,
    render: ({ status = {} }) => (
      <span class={(status.failed ?? 0) > 0 ? "t-failed strong" : ""}>
        {countText(status.failed ?? 0)}
      </span>
    ),
  },
  {
    id: "versions",
    title: "Versions",
    isWide: true,
    render: ({ spec }) => <span class="mono small">{versionsText(spec.versions)}</span>,
  },
  { id: "offering", title: "Offering", isWide: true, render: ({ spec }) => spec.offering },
  {
    id: "started",
    title: "Started",
    isWide: true,
    width: "140px",
    render: ({ status, metadata }) => <Time at={status?.startedAt ?? metadata.creationTimestamp} />,
  },
];

export function RolloutsTab(_props: TabProps) {
  const { data, error, refetch } = useQuery(
    "fleet rollouts",
    async (signal) => await fleetApi.rollouts(signal),
    { live: ({ kind }) => kind === rolloutsKind },
  );
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={8} />;
    return <ErrorPanel error={error} onRetry={refetch} title="The rollouts could not be read" />;
  }
  const rows = [...data.items].sort(
    (one, other) =>
      rankOf(rolloutLook(one)) - rankOf(rolloutLook(other)) || startOf(other) - startOf(one),
  );
  return (
    <>
      <header class="page-head row">
        <h1>{rolloutsHeadline(rows)}</h1>
        <div class="row end">
          <Button
            icon="plus"
            look="main"
            href={paths.create(rolloutsKind)}
            off={createOff(rolloutsKind)}
          >
            New rollout
          </Button>
        </div>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <section class="panel" aria-label="Rollouts">
        {rows.length === 0 ? (
          <Empty>
            A rollout gives instances new versions, a few at first.
            <CommandLine text={firstRollout} />
          </Empty>
        ) : (
          <LiveTable
            label="Rollouts"
            rows={rows}
            columns={columns}
            keyOf={({ metadata: { uid, name } }) => uid ?? name}
            nameOf={({ metadata: { name } }) => name}
            hrefOf={({ metadata: { name } }) => paths.fleetItem("rollouts", name)}
          />
        )}
      </section>
      {data.isCut && <p class="muted small">The first {rows.length} rollouts are shown.</p>}
    </>
  );
}

function startOf({ metadata }: Rollout): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

const firstRollout = `kubectl apply -f - <<'EOF'
apiVersion: fleet.setpoint.dev/v1
kind: Rollout
metadata: { name: product-1-1 }
spec:
  offering: dinosaurs
  versions: { product: "1.1.0" }
  waves:
    - { count: 1, soakSeconds: 600 }
    - { percent: 100, maxUnavailable: 2 }
  gates: { maxFailedPercent: 10 }
EOF`;
