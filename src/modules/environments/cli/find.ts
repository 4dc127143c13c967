// `setpoint env operations`, `setpoint env search` and `setpoint env graph`.

import type { RunCommand } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { inPath, sessionOf } from "./request.ts";
import type { Session } from "./request.ts";
import { aligned, allItems } from "./show.ts";

export const runOperations: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  await session.server.get(session.path(`environments/${inPath(id)}`));
  const found = await allItems(session, "operations", { environment: id });
  const startOf = (item: JsonObject): string => {
    return textAt(item, "status", "startedAt") || textAt(item, "createdAt");
  };
  const items = found.toSorted((a, b) => startOf(a).localeCompare(startOf(b)));
  if (call.isJson) {
    call.printText(JSON.stringify(items, undefined, 2));
    return;
  }
  if (items.length === 0) {
    call.print(`the environment ${id} has no operations`);
    return;
  }
  const rows = items.map((item) => [
    textAt(item, "id"),
    textAt(item, "spec", "action") || textAt(item, "spec", "type"),
    textAt(item, "status", "phase") || "Queued",
    startOf(item),
    textAt(item, "status", "endedAt"),
    textAt(item, "spec", "requestedBy"),
    textAt(item, "status", "message"),
  ]);
  const head = ["OPERATION", "TYPE", "PHASE", "STARTED", "ENDED", "BY", "MESSAGE"];
  for (const line of aligned([head, ...rows])) call.print(line);
};

export const runSearch: RunCommand = async (call) => {
  const { server } = sessionOf(call);
  const query = new URLSearchParams({
    q: call.args.join(" "),
    limit: "100",
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  });
  const found = await server.get(`/api/v1/search?${query.toString()}`);
  if (call.isJson) {
    call.printText(JSON.stringify(found, undefined, 2));
    return;
  }
  const items = objectsAt(found, "items");
  if (items.length === 0) call.print("nothing found");
  else for (const line of aligned([itemHead, ...items.map(itemRow)])) call.print(line);
  const count = numberAt(found, "count") ?? 0;
  const more = valueAt(found, "isComplete") === false ? "more than " : "";
  if (count > items.length) call.print(`${more}${count} found: add words to find fewer`);
};

export const runGraph: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [resource = ""] = call.args;
  const { dependants, depth, to } = call.options;
  // An environment and a template have other edges: to what belongs to them.
  const isResource = typeAndName(resource)[0] === "resources";
  const edges: Readonly<Record<string, string>> = isResource ? { edges: "depends-on" } : {};
  const target = typeof to === "string" ? to : undefined;
  const route =
    target === undefined
      ? session.path(graphRoute(resource), {
          direction: dependants === true ? "dependants" : "dependencies",
          ...edges,
          ...(typeof depth === "string" ? { depth } : {}),
        })
      : `/api/v1/search/path?${new URLSearchParams({
          from: placeOf(resource, session.namespace),
          to: placeOf(target, session.namespace),
          ...edges,
        }).toString()}`;
  const found = await graphOf(session, resource, route);
  if (call.isJson) {
    call.printText(JSON.stringify(found, undefined, 2));
    return;
  }
  const path = objectsAt(found, "path");
  if (target !== undefined && path.length === 0) {
    call.print(`${resource} does not depend on ${target}`);
    call.setExitCode(1);
  }
  path.forEach((node, at) => call.print(nodeLine(node, at)));
  for (const node of objectsAt(found, "nodes")) {
    call.print(nodeLine(node, numberAt(node, "depth") ?? 0));
  }
  if (valueAt(found, "isComplete") === false) call.print("there are more: use a smaller --depth");
};

/** An environment has no dependencies of its own: the error names what belongs to it. */
async function graphOf(session: Session, given: string, route: string): Promise<Json> {
  try {
    return await session.server.get(route);
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found") || given.includes("/")) throw error;
    const items = await allItems(session, "resources", { environment: given });
    const names = items.map((item) => textAt(item, "id"));
    if (names.length === 0) throw error;
    const message = `${given} is an environment, and its resources have dependencies`;
    const more = names.length > 5 ? ", ..." : "";
    throw new SetpointError("resource.not_found", message, {
      suggestion: `name one of its resources: ${names.slice(0, 5).join(", ")}${more}`,
    });
  }
}

/** RESOURCE, or TYPE/NAME such as external-resources/dns. */
function typeAndName(given: string): readonly [string, string] {
  const slash = given.indexOf("/");
  return slash < 0 ? ["resources", given] : [given.slice(0, slash), given.slice(slash + 1)];
}

function graphRoute(given: string): string {
  const [type, name] = typeAndName(given);
  return `search/graph/${inPath(type)}/${inPath(name)}`;
}

function placeOf(given: string, namespace: string): string {
  const [type, name] = typeAndName(given);
  return `${type}/${namespace}/${name}`;
}

function nodeLine(node: JsonObject, depth: number): string {
  const state = textAt(node, "state");
  const type = textAt(node, "type");
  const kind = type === "resources" ? "" : `  (${type})`;
  const name = `${"  ".repeat(depth)}${textAt(node, "id")}${kind}`;
  return state === "" ? name : `${name}  ${state}`;
}

const itemHead = ["TYPE", "NAMESPACE", "ID", "NAME", "STATE", "TAGS"];

function itemRow(item: JsonObject): readonly string[] {
  const given = objectAt(item, "tags");
  const tags = Object.keys(given).map((name) => `${name}=${textAt(given, name)}`);
  const fields = ["type", "namespace", "id", "name", "state"];
  return [...fields.map((field) => textAt(item, field)), tags.join(", ")];
}
