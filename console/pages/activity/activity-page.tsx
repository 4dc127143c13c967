// What happened and what is running: changes and Events on one axis, runs of this server, queues.

import { insight } from "../../api/insight.ts";
import { isStatus } from "../../api/client.ts";
import { kinds } from "../../api/kinds.ts";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { useQuery } from "../../query/query.ts";
import type { PageProps } from "../../routes.tsx";
import { now } from "../../ui/now.ts";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { filterOf } from "./filter.ts";
import { headlineOf } from "./headline.ts";
import { QueuesPanel, RunsPanel } from "./operations-panels.tsx";
import { TimelinePanel } from "./timeline-panel.tsx";
import "./activity.css";

/** Runs start and end without a change that the stream reports. */
const everyMs = 5_000;
const runsShown = 200;

export function ActivityPage({ query }: PageProps) {
  const namespace = currentNamespace();
  const place = namespace === "" ? {} : { namespace };
  const { data, error, refetch } = useQuery(
    `operations ${namespace} ${Math.floor(now.value / everyMs) % 2}`,
    async (signal) => await insight.operations({ ...place, limit: runsShown }, signal),
    { live: () => true },
  );
  const isDenied = isStatus(error, 403);
  // The filter names kinds.
  if (kinds.value === undefined) return <Skeleton lines={8} />;
  return (
    <div class="stack">
      <h1>{data === undefined ? "Operations" : headlineOf(data)}</h1>
      <div class="columns activity">
        <TimelinePanel filter={filterOf(query)} namespace={namespace} />
        <div class="stack">
          {isDenied && (
            <Panel title="Runs" isPadded>
              <p class="muted">You may not read the operations of the server.</p>
            </Panel>
          )}
          {error !== undefined && !isDenied && <ErrorPanel error={error} onRetry={refetch} />}
          {data === undefined && error === undefined && <Skeleton lines={6} />}
          {data !== undefined && (
            <>
              <RunsPanel operations={data} />
              <QueuesPanel queues={data.queues} hidden={data.hidden ?? 0} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}
