import { useSignal } from "@preact/signals";
import { insight } from "../../api/insight.ts";
import { isStatus } from "../../api/client.ts";
import { TimeChart } from "../../components/time-chart.tsx";
import { useQuery } from "../../query/query.ts";
import { now } from "../../ui/now.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

const everyMs = 10_000;
/** Reconciles, those that failed, and how late they start; the others on request. */
const firstCharts = 3;

/** How fast the engine works: the last hour of this server. */
export function EnginePanel() {
  const { data, error, refetch } = useQuery(
    `metrics ${Math.floor(now.value / everyMs) % 2}`,
    async (signal) => await insight.recentMetrics(signal),
  );
  const isWhole = useSignal(false);
  const series = data?.series ?? [];
  const charts = isWhole.value ? series : series.slice(0, firstCharts);
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
      {charts.map(({ name, unit, values }) => (
        <TimeChart
          key={name}
          title={name}
          unit={unit}
          values={values}
          fromMs={Date.parse(data?.from ?? "")}
          stepMs={data?.stepMs ?? 0}
        />
      ))}
      {series.length > firstCharts && (
        <p class="panel-foot">
          <Button
            look="link"
            expanded={isWhole.value}
            onClick={() => {
              isWhole.value = !isWhole.value;
            }}
          >
            {isWhole.value ? "Fewer charts" : `${series.length - firstCharts} more charts`}
          </Button>
        </p>
      )}
    </Panel>
  );
}
