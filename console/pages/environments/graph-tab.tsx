// The dependency graph of an environment, or the same as a table. Phones start with the table.

import { environmentsApi } from "../../api/environments.ts";
import type { DependencyGraph, Environment, GraphNode } from "../../api/environments.ts";
import { StateIcon } from "../../components/state.tsx";
import { Graph } from "../../graph/graph.tsx";
import type { GraphNodeView } from "../../graph/graph.tsx";
import { paths, withQuery } from "../../paths.ts";
import { useQuery } from "../../query/query.ts";
import { navigate } from "../../router/location.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import type { TabProps } from "./environment-page.tsx";
import { failureOf, messageOf } from "./headline.ts";
import { resourceLook } from "./looks.ts";
import { shownNodes } from "./shown-nodes.ts";

const records = "environmentresources.environments.setpoint.dev";

export function GraphTab({ place, environment, query }: TabProps) {
  const { namespace, id } = place;
  const { data, error, refetch } = useQuery(
    `graph ${namespace} ${id}`,
    async (signal) => await environmentsApi.graph(place, signal),
    { live: (change) => change.kind === records && change.namespace === namespace },
  );
  if (data === undefined) {
    return error === undefined ? (
      <Skeleton lines={6} />
    ) : (
      <ErrorPanel error={error} onRetry={refetch} />
    );
  }
  if (data.nodes.length === 0) return <Empty>It has no resources now.</Empty>;
  const here = paths.environment(namespace, id, "graph");
  const url = `${here}${query.size === 0 ? "" : `?${query.toString()}`}`;
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    navigate(withQuery(url, changes));
  const isProblemsOnly = query.get("only") === "problems";
  const isPhone = window.matchMedia("(max-width: 720px)").matches;
  const view = query.get("view") ?? (isPhone ? "table" : "graph");
  const { nodes, isCut } = shownNodes(data, isProblemsOnly);
  // A failed environment shows what failed first.
  const current = query.get("node") ?? failureOf(environment)?.resource;
  const selected = data.nodes.find((node) => node.id === current);
  return (
    <div class="stack">
      <div class="row">
        <Button isPressed={view === "graph"} onClick={() => set({ view: "graph" })}>
          Graph
        </Button>
        <Button isPressed={view === "table"} onClick={() => set({ view: "table" })}>
          Table
        </Button>
        <Button
          isPressed={isProblemsOnly}
          onClick={() => set({ only: isProblemsOnly ? undefined : "problems" })}
        >
          Only problems
        </Button>
        {isCut && (
          <span class="muted">
            Showing {nodes.length} of {data.nodes.length}, problems first.
          </span>
        )}
      </div>
      {error !== undefined && <ErrorPanel error={error} onRetry={refetch} />}
      {nodes.length === 0 && <Empty>No resource has a problem.</Empty>}
      {nodes.length > 0 && (
        <div class="graph-columns">
          {view === "table" ? (
            <ResourceTable graph={data} nodes={nodes} environment={environment} />
          ) : (
            <Graph
              label={`Dependencies of ${id}`}
              nodes={nodes.map(nodeView)}
              edges={data.edges}
              current={current}
              onSelect={(node) => set({ node })}
            />
          )}
          <Selected node={selected} graph={data} environment={environment} />
        </div>
      )}
    </div>
  );
}

function nodeView({ id, name, target, type, state, drift }: GraphNode): GraphNodeView {
  const isDrifted = drift === "Drifted" && state === "Ready";
  const look =
    type === "external"
      ? ({ tone: "stored", word: "External" } as const)
      : isDrifted
        ? ({ tone: "drifted", word: "Ready, drifted" } as const)
        : resourceLook(state);
  return {
    id,
    title: name,
    note: target ?? (type === "external" ? "external" : "not applied yet"),
    look,
    isProblem: state === "Failed" || state === "Cancelled",
    isDone: state === "Ready" || type === "external",
  };
}

interface TableProps {
  readonly graph: DependencyGraph;
  readonly nodes: readonly GraphNode[];
  readonly environment: Environment;
}

function ResourceTable({ graph, nodes, environment }: TableProps) {
  const { namespace } = environment;
  const nameOf = (id: string): string => graph.nodes.find((node) => node.id === id)?.name ?? id;
  return (
    <Panel title="Resources" note={`${nodes.length}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Resource</th>
            <th scope="col">Needs</th>
            <th scope="col" class="wide-only">
              Kind
            </th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => {
            const needs = graph.edges.filter(({ from }) => from === node.id);
            return (
              <tr key={node.id}>
                <td>
                  <StateIcon look={nodeView(node).look} />
                </td>
                <td>
                  {node.type === "external" ? (
                    node.name
                  ) : (
                    <a href={paths.resource({ kind: records, namespace, name: node.id })}>
                      {node.name}
                    </a>
                  )}
                  {node.reason !== undefined && (
                    <span class="sub muted">{reasonText(environment, node)}</span>
                  )}
                </td>
                <td class="muted">{needs.map(({ to }) => nameOf(to)).join(", ") || "nothing"}</td>
                <td class="muted wide-only">{node.target ?? ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}

function reasonText(environment: Environment, { id, reason = "" }: GraphNode): string {
  const message = messageOf(environment, id);
  return message === "" ? reason : `${reason}: ${message}`;
}

interface SelectedProps {
  readonly node: GraphNode | undefined;
  readonly graph: DependencyGraph;
  readonly environment: Environment;
}

function Selected({ node, graph, environment }: SelectedProps) {
  if (node === undefined) {
    return (
      <Panel title="No resource selected" isPadded>
        <p class="muted">
          Choose a resource to see what it needs. Arrow keys follow the lines, n opens the next
          problem, 0 fits the graph.
        </p>
      </Panel>
    );
  }
  const nameOf = (id: string): string => graph.nodes.find((each) => each.id === id)?.name ?? id;
  const needs = graph.edges.filter(({ from }) => from === node.id).map(({ to }) => nameOf(to));
  const needed = graph.edges.filter(({ to }) => to === node.id).map(({ from }) => nameOf(from));
  const { look } = nodeView(node);
  const { namespace, id } = environment;
  const message = messageOf(environment, node.id);
  return (
    <Panel title={node.name} side={<StateIcon look={look} />} isPadded>
      <Facts
        facts={[
          ["Kind", node.target ?? "not applied yet"],
          ...(node.reason === undefined ? [] : [["Reason", node.reason] as const]),
          ...(message === "" ? [] : [["Cause", message] as const]),
          ...(node.template === undefined ? [] : [["Template", node.template] as const]),
          ...(node.group === undefined ? [] : [["Group", node.group] as const]),
          ["Needs", needs.join(", ") || "nothing"],
          ["Needed by", needed.join(", ") || "nothing"],
        ]}
      />
      {node.type === "resource" && (
        <p class="row">
          <Button href={paths.resource({ kind: records, namespace, name: node.id })}>
            Why is it so
          </Button>
          <Button href={paths.environment(namespace, id, "logs", { resource: node.key })}>
            Logs
          </Button>
        </p>
      )}
    </Panel>
  );
}
