// GET /api/v1/environments/{id}/graph: the dependency graph of an environment, with the state of
// each resource, in one document.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ListQuery, Position } from "../../../store/port.ts";
import { environmentLimits } from "../limits.ts";
import { environmentLabel } from "../names.ts";
import { addressed, readOne, servedKind, shownRecord } from "./documents.ts";
import { accessTo, apiTag, namespaceQuery } from "./item-routes.ts";
import { environmentNoun, kindIdOf, resourceNoun } from "./nouns.ts";

const nodeSchema = {
  type: "object",
  required: ["id", "type", "name"],
  properties: {
    id: { type: "string" },
    type: { type: "string", enum: ["resource", "external"] },
    key: { type: "string" },
    name: { type: "string" },
    group: { type: "string" },
    template: { type: "string" },
    target: { type: "string", description: "The kind that it applies." },
    state: { type: "string" },
    reason: { type: "string" },
    drift: { type: "string" },
  },
};

const edgeSchema = {
  type: "object",
  required: ["from", "to"],
  properties: {
    from: { type: "string", description: "The dependant." },
    to: { type: "string", description: "Its dependency." },
  },
};

export function graphRoute(ports: RoutePorts): Route {
  return {
    method: "GET",
    path: "/api/v1/environments/{id}/graph",
    summary: "Read the dependency graph of an environment.",
    tag: apiTag,
    access: accessTo(environmentNoun, "get"),
    parameters: { id: "The id of an environment." },
    query: namespaceQuery,
    answers: {
      200: {
        description: "The resources and what each depends on.",
        schema: {
          type: "object",
          required: ["revision", "nodes", "edges"],
          properties: {
            revision: { type: "integer" },
            nodes: { type: "array", items: nodeSchema },
            edges: { type: "array", items: edgeSchema },
            omittedEdges: { type: "integer", description: "Edges that are not shown." },
          },
        },
      },
    },
    errors: [403, 404],
    isList: true,
    command: "environments.graph",
    handle: (request) => readGraph(ports, request),
  };
}

export interface Graph {
  readonly nodes: JsonObject[];
  readonly edges: JsonObject[];
  readonly externals: Set<string>;
  omittedEdges: number;
}

async function readGraph(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const target = addressed(ports, environmentNoun, request);
  const { metadata } = await readOne(ports, target);
  const graph: Graph = { nodes: [], edges: [], externals: new Set(), omittedEdges: 0 };
  const served = servedKind(ports, resourceNoun);
  const { pages } = request;
  const query = resourcesOf(target.namespace, metadata.name);
  // Only nodes and edges are kept: the documents can be large.
  let from: Position | undefined;
  do {
    await pages.before();
    const page = await ports.store.list(from === undefined ? query : { ...query, from });
    pages.after(
      page.records.reduce((sum, { body }) => sum + body.length, 0),
      page.next !== undefined,
    );
    for (const record of page.records) addTo(graph, await shownRecord(served, record));
    pages.drop();
    from = page.next;
  } while (from !== undefined);
  const { nodes, edges, externals, omittedEdges } = graph;
  for (const name of externals) nodes.push({ id: `external/${name}`, type: "external", name });
  const revision = Number(metadata.resourceVersion ?? 0);
  const omitted = omittedEdges === 0 ? {} : { omittedEdges };
  return { kind: "document", status: 200, document: { revision, nodes, edges, ...omitted } };
}

function resourcesOf(namespace: string, environment: string): ListQuery {
  const labels = [{ key: environmentLabel, operator: "in", values: [environment] }] as const;
  return { kind: kindIdOf(resourceNoun), namespace, labels };
}

export function addTo(graph: Graph, resource: Resource): void {
  const { metadata, spec } = resource;
  graph.nodes.push(nodeOf(resource));
  const externals = textsAt(spec, "externals");
  for (const name of externals) graph.externals.add(name);
  const targets = [...textsAt(spec, "dependsOn"), ...externals.map((name) => `external/${name}`)];
  for (const to of targets) {
    if (graph.edges.length < environmentLimits.maxGraphEdges) {
      graph.edges.push({ from: metadata.name, to });
    } else graph.omittedEdges += 1;
  }
}

function nodeOf({ metadata, spec, status }: Resource): JsonObject {
  const optional = {
    group: textAt(spec, "group"),
    target: textAt(status, "target", "kind"),
    reason: textAt(status, "reason"),
    drift: textAt(status, "drift", "state"),
  };
  const given = Object.entries(optional).filter(([, value]) => value !== "");
  return {
    id: metadata.name ?? "",
    type: "resource",
    key: textAt(spec, "key"),
    name: textAt(spec, "name") || textAt(spec, "key"),
    template: textAt(spec, "template"),
    state: textAt(status, "state") || "Waiting",
    ...Object.fromEntries(given),
  };
}
