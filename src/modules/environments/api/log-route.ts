// GET /api/v1/environments/{id}/logs: what the executors of an environment printed, as a stream
// that resumes by revision. Executors store their output as ExecutorLog records with the labels of
// the environment; this route reads them as any other resource.

import type { Route, RoutePorts, RouteRequest, StreamItem } from "../../../contract/route.ts";
import { forbiddenAccess } from "../../../intents/auth/forbidden.ts";
import { openLives } from "../../../intents/read/lives.ts";
import type { Lives } from "../../../intents/read/lives.ts";
import { checkBeginning, isAdvanced } from "../../../intents/read/log-stream.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { numberAt, isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { actionLabel, environmentLabel, resourceLabel } from "../names.ts";
import { addressed, readOne } from "./documents.ts";
import { accessTo, apiTag, namespaceQuery } from "./item-routes.ts";
import { environmentNoun } from "./nouns.ts";

/** The contract with executors: names of kinds and labels, not code. */
const logGroup = "executors.setpoint.dev";
const logPlural = "executorlogs";
const logsKind = `${logPlural}.${logGroup}`;
const ownerKindLabel = `${logGroup}/owner-kind`;

export function logRoute(ports: RoutePorts): Route {
  const lives = openLives(ports);
  return {
    method: "GET",
    path: "/api/v1/environments/{id}/logs",
    summary: "Read the output of the executors of an environment as a stream.",
    tag: apiTag,
    access: accessTo(environmentNoun, "get"),
    parameters: { id: "The id of an environment." },
    query: {
      type: "object",
      properties: {
        ...objectAt(namespaceQuery, "properties"),
        resource: { type: "string", description: "Only this key of a resource, or action." },
        follow: { type: "boolean", default: false, description: "Wait for further output." },
        after: { type: "integer", minimum: 0, description: "Only output after this revision." },
      },
    },
    stream: true,
    answers: { 200: { description: "One item for each chunk of output.", schema: itemSchema } },
    errors: [403, 404, 410, 504],
    isList: true,
    handle: async (request) => {
      const target = addressed(ports, environmentNoun, request);
      await readOne(ports, target);
      checkLogAccess(ports, request, target.namespace);
      const after = numberAt(request.query, "after");
      if (after !== undefined) checkBeginning(after, await ports.store.head());
      const following = { ...target, resource: textAt(request.query, "resource"), lives };
      return { kind: "stream", items: chunks(ports, request, following) };
    },
  };
}

const itemSchema = {
  type: "object",
  required: ["type", "revision"],
  properties: {
    type: {
      type: "string",
      enum: ["output", "bookmark"],
      description: "A bookmark has only the position: there is no output up to it.",
    },
    revision: { type: "integer", description: "To resume after it." },
    resource: { type: "string", description: "The key; empty for actions and plans." },
    action: { type: "string", description: "The name of the action; empty for resources." },
    executor: { type: "string" },
    run: { type: "string" },
    chunk: { type: "integer" },
    text: { type: "string", description: "Complete lines." },
  },
};

interface Following {
  readonly namespace: string;
  /** The id of the environment. */
  readonly name: string;
  /** A key, or the name of an action; empty: all. */
  readonly resource: string;
  readonly lives: Lives;
}

function checkLogAccess(
  { authorizer }: RoutePorts,
  { caller: { user } }: RouteRequest,
  namespace: string,
): void {
  const access = {
    kind: "resource",
    verb: "list",
    group: logGroup,
    resource: logPlural,
    subresource: "",
    namespace,
    name: "",
  } as const;
  const { allowed, reason } = authorizer.authorize(user, access);
  if (!allowed) throw forbiddenAccess(user, access, reason);
}

async function* chunks(
  ports: RoutePorts,
  request: RouteRequest,
  following: Following,
): AsyncGenerator<StreamItem> {
  const { query, signal, pages } = request;
  const isFollowing = isTrueAt(query, "follow");
  const given = numberAt(query, "after");
  let after = given ?? 0;
  if (given === undefined) {
    const { items, revision } = await stored(ports, request, following);
    yield* items;
    after = revision;
  }
  // The answer begins at once, also when there is no output yet.
  if (isFollowing) yield bookmark(after);
  while (!signal.aborted) {
    // The namespace may have been deleted, and may belong to another tenant now.
    checkLogAccess(ports, request, following.namespace);
    await pages.before();
    const page = await ports.store.changes(after, limits.streamPageItems, { kinds: [logsKind] });
    pages.after(
      page.changes.reduce((sum, { body }) => sum + body.length, 0),
      page.through < page.revision,
    );
    const since = await visibleSince(ports, request, following);
    for (const change of page.changes) {
      if (change.type !== "created" || change.key.namespace !== following.namespace) continue;
      if (change.revision < since) continue;
      const resource = decodeDocument(change.body, change.revision);
      if (isWanted(resource, following)) yield itemOf(resource, change.revision);
    }
    pages.drop();
    after = Math.max(after, page.through);
    if (after < page.revision) continue;
    if (!isFollowing) return;
    if (!(await isAdvanced(ports, after, signal))) yield bookmark(after);
  }
}

function bookmark(revision: number): StreamItem {
  return { revision, type: "bookmark", item: { type: "bookmark", revision } };
}

/** The log also has the output of an earlier namespace of the same name. */
async function visibleSince(
  { kinds }: RoutePorts,
  { caller: { user } }: RouteRequest,
  { lives, namespace }: Following,
): Promise<number> {
  const served = kinds.byId(logsKind);
  if (served === undefined) return Number.POSITIVE_INFINITY;
  return await lives.since(user, served, { namespace, name: "" });
}

/** What exists now, in the order in which it was written. */
async function stored(
  { store }: RoutePorts,
  { pages }: RouteRequest,
  following: Following,
): Promise<{ readonly items: readonly StreamItem[]; readonly revision: number }> {
  const { namespace, name } = following;
  const labels = [{ key: environmentLabel, operator: "in", values: [name] }] as const;
  const query = { kind: logsKind, namespace, labels };
  const items: StreamItem[] = [];
  await pages.before();
  let page = await store.list(query);
  for (;;) {
    pages.after(page.records.reduce((sum, { body }) => sum + body.length, 0));
    for (const { body, revision } of page.records) {
      const resource = decodeDocument(body, revision);
      if (isWanted(resource, following)) items.push(itemOf(resource, revision));
    }
    if (page.next === undefined) break;
    await pages.before();
    page = await store.list({ ...query, from: page.next });
  }
  return { items: items.sort((a, b) => a.revision - b.revision), revision: page.revision };
}

function isWanted({ metadata: { labels = {} } }: Resource, wanted: Following): boolean {
  if (labels[environmentLabel] !== wanted.name) return false;
  const { resource } = wanted;
  return [resourceLabel, actionLabel].some(
    (label) => resource === "" || labels[label] === resource,
  );
}

function itemOf({ metadata: { labels = {} }, spec }: Resource, revision: number): StreamItem {
  const item: JsonObject = {
    type: "output",
    revision,
    resource: labels[resourceLabel] ?? "",
    action: labels[actionLabel] ?? "",
    executor: labels[ownerKindLabel] ?? "",
    run: textAt(spec, "run"),
    chunk: numberAt(spec, "chunk") ?? 0,
    text: textAt(spec, "text"),
  };
  return { revision, type: "output", item };
}
