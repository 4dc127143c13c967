// GET /api/v1/search and the graph below it. A caller finds, counts and passes only through what
// the caller may list.

import type { AllowedKind, FoundPath, TextIndex, Walk } from "../../../adapters/text-index/port.ts";
import { textIndexLimits } from "../../../adapters/text-index/port.ts";
import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { reachRevision } from "../../../intents/read-model/reach-revision.ts";
import { scopeOf } from "../../../intents/read-model/scope.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { servedKind } from "../api/documents.ts";
import { apiTag } from "../api/item-routes.ts";
import { environmentLimits } from "../limits.ts";
import { edgeTypes, entryId, searchedNouns } from "./entries.ts";
import type { SearchIndex } from "./follow-index.ts";

const words = searchedNouns.map(({ word }) => word);

const fields = {
  namespace: {
    type: "string",
    description: "Only this namespace. Default: all that you may list.",
  },
  minRevision: {
    type: "integer",
    minimum: 0,
    description: "Wait until the index includes this revision, to find your own writes.",
  },
  edges: {
    type: "string",
    description: `Types of edges, with commas between them: ${edgeTypes.join(", ")}. Default: all.`,
  },
};

const itemSchema = {
  type: "object",
  required: ["type", "namespace", "id"],
  properties: {
    type: { type: "string", enum: [...words] },
    namespace: { type: "string" },
    id: { type: "string" },
    name: { type: "string" },
    description: { type: "string" },
    tags: { type: "object", additionalProperties: { type: "string" } },
    state: { type: "string" },
    environment: { type: "string" },
    score: { type: "integer" },
    depth: { type: "integer" },
  },
};

const indexFields = {
  revision: { type: "integer", description: "What the index includes." },
  isComplete: { type: "boolean", description: "False when a bound ended the search." },
};

const common = {
  method: "GET",
  tag: apiTag,
  access: { kind: "authenticated" },
  errors: [400, 403, 404, 504],
  isList: true,
} as const;

export function searchRoutes(ports: RoutePorts, index: SearchIndex): readonly Route[] {
  return [
    {
      ...common,
      path: "/api/v1/search",
      summary: "Search names, descriptions, tags and other texts of environments and their parts.",
      description: "Finds words and parts of words. All words must occur.",
      query: {
        type: "object",
        required: ["q"],
        properties: {
          q: { type: "string", minLength: 1, maxLength: limits.maxFilterChars },
          type: { type: "string", enum: [...words], description: "Only this type." },
          limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
          namespace: fields.namespace,
          minRevision: fields.minRevision,
        },
      },
      answers: { 200: { description: "The best hits first.", schema: hitsSchema } },
      command: "search.find",
      handle: (request) => find(ports, index, request),
    },
    {
      ...common,
      path: "/api/v1/search/graph/{type}/{id}",
      summary: "Find the dependencies or the dependants of a resource, to a depth.",
      parameters: { type: `One of ${words.join(", ")}.`, id: "Its id." },
      query: graphQuery,
      answers: { 200: { description: "What was reached, with its depth.", schema: walkSchema } },
      command: "search.graph",
      handle: (request) => walkFrom(ports, index, request),
    },
    {
      ...common,
      path: "/api/v1/search/path",
      summary: "Find the shortest path from a dependant to one of its dependencies.",
      query: pathQuery,
      answers: { 200: { description: "The path; absent when there is none.", schema: pathSchema } },
      command: "search.path",
      handle: (request) => pathBetween(ports, index, request),
    },
  ];
}

const graphQuery = {
  type: "object",
  required: ["namespace"],
  properties: {
    namespace: { type: "string", description: "The namespace of the resource." },
    direction: { type: "string", enum: ["dependencies", "dependants"], default: "dependencies" },
    depth: { type: "integer", minimum: 1, maximum: textIndexLimits.maxDepth, default: 5 },
    edges: fields.edges,
    minRevision: fields.minRevision,
  },
};

const pathQuery = {
  type: "object",
  required: ["from", "to"],
  properties: {
    from: { type: "string", description: "TYPE/NAMESPACE/ID of the dependant." },
    to: { type: "string", description: "TYPE/NAMESPACE/ID of the dependency." },
    edges: fields.edges,
    minRevision: fields.minRevision,
  },
};

const hitsSchema = {
  type: "object",
  required: ["revision", "count", "items"],
  properties: {
    ...indexFields,
    count: { type: "integer", description: "Hits that were ranked." },
    items: { type: "array", items: itemSchema },
  },
};

const edgeSchema = {
  type: "object",
  properties: { from: { type: "string" }, to: { type: "string" }, type: { type: "string" } },
};

const walkSchema = {
  type: "object",
  required: ["revision", "nodes", "edges"],
  properties: {
    ...indexFields,
    nodes: { type: "array", items: itemSchema },
    edges: { type: "array", items: edgeSchema },
  },
};

const pathSchema = {
  type: "object",
  required: ["revision"],
  properties: { ...indexFields, path: { type: "array", items: itemSchema } },
};

async function find(
  ports: RoutePorts,
  index: SearchIndex,
  request: RouteRequest,
): Promise<RouteAnswer> {
  const { query } = request;
  const type = textAt(query, "type");
  const allowed = allowedTo(ports, request, textAt(query, "namespace"));
  const wanted = type === "" ? allowed : allowed.filter(({ kind }) => kind === type);
  const opened = await indexAt(ports, index, request);
  const found = await opened.search({
    text: textAt(query, "q"),
    allowed: wanted,
    limit: numberAt(query, "limit") ?? 20,
  });
  const { hits, count, isComplete } = found;
  const items = hits.map(({ shown, score }) => withField(shown, "score", score));
  return answer({ revision: index.position, isComplete, count, items });
}

async function walkFrom(
  ports: RoutePorts,
  index: SearchIndex,
  request: RouteRequest,
): Promise<RouteAnswer> {
  const { path, query } = request;
  const namespace = textAt(query, "namespace");
  const from = entryId(knownWord(path["type"] ?? "", "path.type"), namespace, path["id"] ?? "");
  const opened = await indexAt(ports, index, request);
  const result: Walk = await opened.walk({
    from,
    direction: textAt(query, "direction") === "dependants" ? "dependants" : "dependencies",
    depth: numberAt(query, "depth") ?? 5,
    allowed: allowedTo(ports, request, ""),
    ...typesOf(query),
  });
  const { nodes, edges, isComplete } = result;
  if (nodes.length === 0) throw unknownNode(from);
  const shown = nodes.map(({ shown: item, depth }) => withField(item, "depth", depth));
  const lines = edges.map(({ from: source, to, type }) => ({ from: source, to, type }));
  return answer({ revision: index.position, isComplete, nodes: shown, edges: lines });
}

async function pathBetween(
  ports: RoutePorts,
  index: SearchIndex,
  request: RouteRequest,
): Promise<RouteAnswer> {
  const { query } = request;
  const [from, to] = [nodeNamed(query, "from"), nodeNamed(query, "to")];
  const opened = await indexAt(ports, index, request);
  const allowed = allowedTo(ports, request, "");
  const found: FoundPath = await opened.path({ from, to, allowed, ...typesOf(query) });
  const { nodes, isComplete } = found;
  const path = nodes?.map(({ shown, depth }) => withField(shown, "depth", depth));
  const known = path === undefined ? {} : { path };
  return answer({ revision: index.position, isComplete, ...known });
}

/** The index with the revision that the caller names. */
async function indexAt(
  ports: RoutePorts,
  index: SearchIndex,
  { query, signal }: RouteRequest,
): Promise<TextIndex> {
  const revision = numberAt(query, "minRevision") ?? 0;
  if (revision > index.position) {
    await reachRevision(ports, revision, { field: "query.minRevision", signal });
  }
  return await index.at(revision, signal);
}

/** What the caller may list, for each type. */
function allowedTo(
  ports: RoutePorts,
  { caller: { user } }: RouteRequest,
  namespace: string,
): readonly AllowedKind[] {
  const { authorizer, live } = ports;
  const names = namespace === "" ? namespacesIn(live) : [namespace];
  return searchedNouns.map((noun) => {
    const served = servedKind(ports, noun);
    const scope = scopeOf({ authorizer, user, served, namespace });
    if (scope.isWhole) return { kind: noun.word, places: undefined };
    const places = names.filter((name) => scope.allows(name));
    return { kind: noun.word, places: places.slice(0, environmentLimits.maxSearchedNamespaces) };
  });
}

function namespacesIn(live: RoutePorts["live"]): readonly string[] {
  return [...live.all("namespaces")].map(({ key }) => key.name);
}

function typesOf(query: JsonObject): { readonly types?: readonly string[] } {
  const text = textAt(query, "edges");
  if (text === "") return {};
  const types = text.split(",");
  const unknown = types.find((type) => !edgeTypes.some((known) => known === type));
  if (unknown === undefined) return { types };
  const message = `query.edges: ${JSON.stringify(unknown.slice(0, 100))} is not a type of edge`;
  throw new SetpointError("request.invalid", message, {
    details: { field: "query.edges" },
    suggestion: `use one or more of ${edgeTypes.join(", ")}`,
  });
}

function nodeNamed(query: JsonObject, field: string): string {
  const text = textAt(query, field);
  const [word = "", namespace = "", name = "", ...rest] = text.split("/");
  if (name === "" || rest.length > 0) {
    const given = JSON.stringify(text.slice(0, 200));
    const message = `query.${field}: ${given} is not TYPE/NAMESPACE/ID`;
    throw new SetpointError("request.invalid", message, { details: { field: `query.${field}` } });
  }
  return entryId(knownWord(word, `query.${field}`), namespace, name);
}

function knownWord(word: string, field: string): string {
  if (words.includes(word)) return word;
  const message = `${field}: ${JSON.stringify(word.slice(0, 100))} is not a type that is searched`;
  throw new SetpointError("request.invalid", message, {
    details: { field },
    suggestion: `use one of ${words.join(", ")}`,
  });
}

function unknownNode(id: string): SetpointError {
  const message = `${id} does not exist, or you may not list it`;
  return new SetpointError("resource.not_found", message);
}

function withField(shown: JsonObject, name: string, value: number): JsonObject {
  return { ...shown, [name]: value };
}

function answer(document: JsonObject): RouteAnswer {
  return { kind: "document", status: 200, document };
}
