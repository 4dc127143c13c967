// All environments: what is deployed, what is in its way, when it is destroyed.

import { environmentsApi } from "../../api/environments.ts";
import type { Environment } from "../../api/environments.ts";
import { StateIcon } from "../../components/state.tsx";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { LiveTable } from "../../table/live-table.tsx";
import type { Column } from "../../table/live-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Countdown } from "./countdown.tsx";
import { listHeadline, progressText } from "./headline.ts";
import { phaseLook, phaseRank } from "./looks.ts";

export const environmentsKind = "environments.environments.setpoint.dev";

const columns: readonly Column<Environment>[] = [
  {
    id: "phase",
    title: "State",
    width: "190px",
    value: ({ status }) => status?.phase,
    render: ({ status }) => <StateIcon look={phaseLook(status?.phase)} />,
  },
  {
    id: "name",
    title: "Environment",
    render: ({ namespace, id, spec }) => (
      <a class="strong" href={paths.environment(namespace, id)} title={id}>
        {spec.displayName ?? id}
      </a>
    ),
  },
  {
    id: "resources",
    title: "Resources",
    isWide: true,
    value: ({ status }) => status?.resources?.["ready"],
    render: (environment) => <span class="muted">{progressText(environment)}</span>,
  },
  { id: "namespace", title: "Namespace", isWide: true, render: ({ namespace }) => namespace },
  {
    id: "templates",
    title: "Templates",
    isWide: true,
    render: ({ spec }) => <span class="mono small">{spec.templates.join(", ")}</span>,
  },
  {
    id: "drift",
    title: "Drift",
    isWide: true,
    width: "110px",
    value: ({ status }) => status?.drift?.state,
    render: ({ status }) =>
      status?.drift?.state === "Drifted" ? (
        <StateIcon look={{ tone: "drifted", word: "Drifted" }} />
      ) : (
        <span class="muted">–</span>
      ),
  },
  {
    id: "destroyed",
    title: "Destroyed in",
    isWide: true,
    width: "130px",
    render: ({ status, spec }) => (
      <Countdown at={status?.plannedDestructionAt ?? spec.plannedDestruction?.at} isShort />
    ),
  },
];

export function EnvironmentsPage(_props: PageProps) {
  const namespace = currentNamespace();
  const { data, error, refetch } = useQuery(
    `environments ${namespace}`,
    async (signal) => await environmentsApi.list(namespace, signal),
    { live: ({ kind }) => kind === environmentsKind },
  );
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={6} />;
    return <ErrorPanel error={error} onRetry={refetch} title="The list could not be read" />;
  }
  const create = (
    <Button href={paths.create(environmentsKind, { ns: namespace })} icon="plus" look="main">
      New environment
    </Button>
  );
  if (data.items.length === 0) {
    return (
      <>
        <h1>Environments</h1>
        <Empty action={create}>No environments. Create one from a template.</Empty>
      </>
    );
  }
  const rows = [...data.items].sort(
    (one, other) => phaseRank(one.status?.phase) - phaseRank(other.status?.phase),
  );
  return (
    <div class="stack">
      <header class="page-head row">
        <h1>{listHeadline(rows)}</h1>
        <div class="row end">{create}</div>
      </header>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      <section class="panel" aria-label="List of environments">
        <LiveTable
          label="Environments"
          rows={rows}
          columns={columns}
          keyOf={({ uid }) => uid}
          nameOf={({ id }) => id}
          hrefOf={({ namespace: place, id }) => paths.environment(place, id)}
          foot={
            data.next === undefined ? undefined : (
              <p class="muted small panel-body">
                The first 500 are shown. Choose a namespace to see the others.
              </p>
            )
          }
        />
      </section>
    </div>
  );
}
