// What this server works on, what it did, and what waits in the queues of all servers.

import type { OperationQueue, OperationRun, Operations } from "../../api/insight.ts";
import { RunLane } from "../../components/run-lane.tsx";
import type { Run } from "../../components/run-lane.tsx";
import { StateIcon } from "../../components/state.tsx";
import { countText, plural } from "../../format/number.ts";
import { spanText } from "../../format/time.ts";
import { paths } from "../../paths.ts";
import type { Tone } from "../../states/states.ts";
import { now } from "../../ui/now.ts";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

const laneMs = 10 * 60_000;
const shownRunning = 12;
const shownEnded = 5;

const outcomes: Readonly<Record<string, { readonly tone: Tone; readonly word: string }>> = {
  done: { tone: "ready", word: "Done" },
  again: { tone: "progressing", word: "Continues" },
  waiting: { tone: "waiting", word: "Waits" },
  failed: { tone: "failed", word: "Failed" },
};

export function RunsPanel({ operations }: { operations: Operations }) {
  const { running, recent, server } = operations;
  const toMs = now.value;
  const fromMs = toMs - laneMs;
  const runs = [
    ...recent.map((run) => laneRun(run, Date.parse(run.endedAt ?? ""))),
    ...running.map((run) => laneRun(run, toMs)),
  ].filter(({ endMs }) => endMs > fromMs);
  const failed = latestFailures(recent).slice(0, shownEnded);
  if (!server.worker) {
    return (
      <Panel title="Runs">
        <Empty>This server runs no reconcilers. Others of the same store do.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Runs" note="last 10 min, this server">
      {runs.length > 0 && (
        <RunLane runs={runs} fromMs={fromMs} toMs={toMs} label="Runs on this server" />
      )}
      {running.length === 0 && failed.length === 0 && (
        <Empty>{runs.length === 0 ? "No runs." : "Nothing is running, and nothing failed."}</Empty>
      )}
      <ul class="runs" aria-label="Runs in progress and failed runs">
        {running.slice(0, shownRunning).map((run) => (
          <RunLine key={`${keyOf(run)} ${run.startedAt}`} run={run} isRunning />
        ))}
        {failed.map((run) => (
          <RunLine key={`${keyOf(run)} ${run.startedAt}`} run={run} />
        ))}
      </ul>
      {running.length > shownRunning && (
        <p class="muted small panel-body">and {countText(running.length - shownRunning)} more</p>
      )}
    </Panel>
  );
}

/** The latest of each resource, when that failed. */
function latestFailures(recent: readonly OperationRun[]): readonly OperationRun[] {
  const latest = new Map<string, OperationRun>();
  for (const run of recent) {
    const before = latest.get(keyOf(run));
    if (before === undefined || endOf(run) > endOf(before)) latest.set(keyOf(run), run);
  }
  return [...latest.values()]
    .filter(({ outcome }) => outcome === "failed")
    .sort((one, other) => endOf(other) - endOf(one));
}

function endOf({ endedAt = "" }: OperationRun): number {
  return Date.parse(endedAt);
}

function keyOf({ resource, namespace = "", name }: OperationRun): string {
  return `${resource} ${namespace} ${name}`;
}

function RunLine({ run, isRunning = false }: { run: OperationRun; isRunning?: boolean }) {
  const { kind, resource, namespace = "", name, what, reason, message, tookMs = 0 } = run;
  const look = isRunning
    ? { tone: "progressing" as const, word: "Running" }
    : (outcomes[run.outcome ?? ""] ?? { tone: "unknown" as const, word: run.outcome ?? "" });
  return (
    <li>
      <StateIcon look={look} word={isRunning ? what : (reason ?? look.word)} />
      <span class="muted small end nowrap">
        {isRunning ? `for ${spanText(tookMs)}` : <Time at={run.endedAt} />}
      </span>
      <p class="sub">
        <a href={paths.resource({ kind: resource, namespace, name })}>
          <span class="muted">{kind}/</span>
          <span class="mono">{name}</span>
        </a>
        {message !== undefined && <span class="muted"> {message}</span>}
      </p>
    </li>
  );
}

function laneRun(run: OperationRun, endMs: number): Run {
  const { startedAt, tookMs = 0, outcome = "", what, reason = "", kind, name } = run;
  const words = [`${kind}/${name}`, what, outcome, reason, spanText(tookMs)];
  return {
    startMs: Date.parse(startedAt ?? ""),
    endMs,
    tone: outcome === "" ? "progressing" : (outcomes[outcome]?.tone ?? "unknown"),
    label: words.filter((word) => word !== "").join(", "),
  };
}

interface QueuesProps {
  readonly queues: readonly OperationQueue[];
  readonly hidden: number;
}

export function QueuesPanel({ queues, hidden }: QueuesProps) {
  const sorted = [...queues].sort(
    (one, other) => other.due - one.due || one.kind.localeCompare(other.kind),
  );
  return (
    <Panel title="Queues" note="of all servers">
      {sorted.length === 0 && <Empty>Nothing is planned.</Empty>}
      {sorted.length > 0 && (
        <table class="table queues">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col" class="right">
                Due
              </th>
              <th scope="col" class="right">
                Oldest
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((queue) => (
              <QueueRow key={queue.resource} queue={queue} />
            ))}
          </tbody>
        </table>
      )}
      {hidden > 0 && (
        <p class="muted small panel-body">
          {plural(hidden, "entry is", "entries are")} not visible to you.
        </p>
      )}
    </Panel>
  );
}

function QueueRow({ queue }: { queue: OperationQueue }) {
  const { kind, resource, due, oldestDueMs, workers, paused = [] } = queue;
  const notes = [
    ...(workers === "none" ? ["no server works on it"] : []),
    ...(paused.length === 0 ? [] : [`${countText(paused.length)} paused`]),
  ];
  return (
    <tr>
      <td>
        <a href={paths.kind(resource)}>{kind}</a>
        {notes.length > 0 && <span class="sub">{notes.join(", ")}</span>}
      </td>
      <td class="right">{countText(due)}</td>
      <td class="right muted">{oldestDueMs === undefined ? "–" : spanText(oldestDueMs)}</td>
    </tr>
  );
}
