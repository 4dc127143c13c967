// Recent runs of the resource and its events, on one axis and as a list.

import { insight } from "../../api/insight.ts";
import type { OperationRun } from "../../api/insight.ts";
import type { Resource } from "../../api/types.ts";
import { RunLane } from "../../components/run-lane.tsx";
import type { Run } from "../../components/run-lane.tsx";
import { clockText, spanText } from "../../format/time.ts";
import { paths } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { zone } from "../../settings/settings.ts";
import type { Tone } from "../../states/states.ts";
import { Icon } from "../../ui/icon.tsx";
import { now } from "../../ui/now.ts";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { groupEvents } from "./grouped-events.ts";
import type { Viewed } from "./resource-page.tsx";
import { useEvents } from "./events-tab.tsx";

interface RunsPanelProps {
  readonly viewed: Viewed;
  readonly document: Resource;
}

const laneMs = 30 * 60_000;
const shown = 6;
const outcomes: Readonly<Record<string, Tone>> = {
  done: "ready",
  again: "progressing",
  waiting: "waiting",
  failed: "failed",
};

export function RunsPanel({ viewed, document }: RunsPanelProps) {
  const { kind, namespace, name } = viewed;
  const events = useEvents(viewed, document);
  const { data } = useQuery(
    `runs ${kind.id} ${namespace}`,
    async (signal) =>
      await insight.operations(
        { kind: kind.id, ...(namespace === "" ? {} : { namespace }) },
        signal,
      ),
    { live: (change) => change.kind === kind.id && change.name === name },
  );
  const runs = (data?.recent ?? []).filter((run) => run.name === name).map(runOf);
  const lines = groupEvents(events.data?.items ?? []).slice(0, shown);
  const toMs = now.value;
  const recent = runs.filter(({ endMs }) => endMs > toMs - laneMs);
  const address = { kind: kind.id, namespace, name };
  return (
    <Panel
      title="Runs and events"
      note="last 30 min"
      side={
        <a class="link" href={paths.resource(address, "events")}>
          All events
        </a>
      }
    >
      {recent.length > 0 && (
        <RunLane runs={recent} fromMs={toMs - laneMs} toMs={toMs} label="Runs on this server" />
      )}
      {lines.length === 0 && recent.length === 0 && <Empty>No runs and no events are known.</Empty>}
      {lines.length > 0 && (
        <ul class="event-lines">
          {lines.map(({ key, lastMs, isWarning, reason, message, count }) => (
            <li key={key}>
              <span class="mono muted nowrap">{clockText(lastMs, zone.value, false)}</span>
              <span class={`state t-${isWarning ? "failed" : "unknown"}`}>
                <Icon name={isWarning ? "failed" : "stored"} />
                {reason}
              </span>
              <span class="event-message">{message}</span>
              <span class="mono muted small">{count > 1 ? `×${count}` : ""}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function runOf({ startedAt, tookMs = 0, outcome = "", what, reason = "" }: OperationRun): Run {
  const startMs = Date.parse(startedAt ?? "");
  return {
    startMs,
    endMs: startMs + tookMs,
    tone: outcomes[outcome] ?? "unknown",
    label: [what, outcome, reason, spanText(tookMs)].filter((word) => word !== "").join(", "),
  };
}
