// GET /api/v1/environments/{id}/graph: the dependency graph of an environment, with the state of
// each resource, in one document.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
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

async function readGraph(ports: RoutePorts, request: RouteRequest): Promise<RouteAnswer> {
  const target = addressed(ports, environmentNoun, request);
  const { metadata } = await readOne(ports, target);
  const resources = await resourcesOf(ports, request, target.namespace, metadata.name);
  const externals = new Set(resources.flatMap(({ spec }) => textsAt(spec, "externals")));
  const nodes = [
    ...resources.map((resource) => nodeOf(resource)),
    ...[...externals].map((name) => ({ id: `external/${name}`, type: "external", name })),
  ];
  const edges = resources.flatMap(({ metadata: { name: from }, spec }) => {
    const inside = textsAt(spec, "dependsOn").map((to) => ({ from, to }));
    return inside.concat(textsAt(spec, "externals").map((to) => ({ from, to: `external/${to}` })));
  });
  const revision = Number(metadata.resourceVersion ?? 0);
  return { kind: "document", status: 200, document: { revision, nodes, edges } };
}

/** All EnvironmentResources of an environment; their number is bounded. */
async function resourcesOf(
  ports: RoutePorts,
  { pages }: RouteRequest,
  namespace: string,
  environment: string,
): Promise<readonly Resource[]> {
  const served = servedKind(ports, resourceNoun);
  const labels = [{ key: environmentLabel, operator: "in", values: [environment] }] as const;
  const query = { kind: kindIdOf(resourceNoun), namespace, labels };
  const found: Resource[] = [];
  await pages.before();
  let page = await ports.store.list(query);
  for (;;) {
    pages.after(
      page.records.reduce((sum, { body }) => sum + body.length, 0),
      page.next !== undefined,
    );
    for (const record of page.records) found.push(await shownRecord(served, record));
    pages.drop();
    if (page.next === undefined) return found;
    await pages.before();
    page = await ports.store.list({ ...query, from: page.next });
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
