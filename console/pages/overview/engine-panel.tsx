import { insight } from "../../api/insight.ts";
import { isStatus } from "../../api/client.ts";
import { TimeChart } from "../../components/time-chart.tsx";
import { useQuery } from "../../query/query.ts";
import { now } from "../../ui/now.ts";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

const everyMs = 10_000;

/** How fast the engine works: the last hour of this server. */
export function EnginePanel() {
  const { data, error, refetch } = useQuery(
    `metrics ${Math.floor(now.value / everyMs) % 2}`,
    async (signal) => await insight.recentMetrics(signal),
  );
  if (isStatus(error, 403)) {
    return (
      <Panel title="Engine">
        <Empty>You may not read the metrics.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Engine" note="last hour, this server">
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {data === undefined && error === undefined && <Skeleton lines={6} />}
      {data?.series.map(({ name, unit, values }) => (
        <TimeChart
          key={name}
          title={name}
          unit={unit}
          values={values}
          fromMs={Date.parse(data.from)}
          stepMs={data.stepMs}
        />
      ))}
    </Panel>
  );
}
