// `setpoint env list` and `setpoint env show`.

import type { RunCommand } from "../../../contract/command.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../kernel/json-read.ts";
import { resourceLine } from "./progress.ts";
import { inPath, namedValues, sessionOf } from "./request.ts";
import type { Session } from "./request.ts";

export const runList: RunCommand = async (call) => {
  const { options, isJson } = call;
  const session = sessionOf(call);
  const named = namedValues("--tag", options["tag"], (value) => value);
  const tags = Object.keys(named)
    .map((name) => `${name}=${textAt(named, name)}`)
    .join(",");
  const query = {
    ...(options["allNamespaces"] === true ? { namespace: "" } : {}),
    ...(tags === "" ? {} : { tags }),
    ...(typeof options["phase"] === "string" ? { phase: options["phase"] } : {}),
  };
  const items = await allItems(session, "environments", query);
  if (isJson) call.printText(JSON.stringify(items, undefined, 2));
  else if (items.length === 0) call.print("no environments found");
  else for (const line of table(items)) call.print(line);
};

export const runShow: RunCommand = async (call) => {
  const session = sessionOf(call);
  const [id = ""] = call.args;
  const environment = await session.server.get(session.path(`environments/${inPath(id)}`));
  const resources = await allItems(session, "resources", { environment: id });
  if (call.isJson) {
    const document = { environment, resources: [...resources] };
    call.printText(JSON.stringify(document, undefined, 2));
    return;
  }
  for (const line of details(environment)) call.print(line);
  if (resources.length > 0) call.print("resources:");
  for (const resource of resources) {
    call.print(`  ${resourceLine(resource)}`);
    for (const link of objectsAt(resource, "status", "links")) {
      call.print(`    ${textAt(link, "name")}: ${textAt(link, "url")}`);
    }
  }
};

/** Every page of a list. */
export async function allItems(
  { server, path }: Session,
  route: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor = "";
  for (;;) {
    const more = cursor === "" ? {} : { cursor };
    const page = await server.get(path(route, { limit: "500", ...query, ...more }));
    found.push(...objectsAt(page, "items"));
    cursor = textAt(page, "next");
    if (cursor === "") return found;
  }
}

function table(items: readonly JsonObject[]): readonly string[] {
  const rows = items.map((item) => [
    textAt(item, "namespace"),
    textAt(item, "id"),
    textAt(item, "spec", "displayName"),
    textAt(item, "status", "statusText"),
    textAt(item, "status", "health", "state"),
    textAt(item, "status", "drift", "state"),
    textAt(item, "status", "plannedDestructionAt"),
  ]);
  return aligned([
    ["NAMESPACE", "ID", "NAME", "STATUS", "HEALTH", "DRIFT", "DESTRUCTION"],
    ...rows,
  ]);
}

export function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (found, row) => row.map((cell, at) => Math.max(found[at] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function details(environment: Json): readonly string[] {
  const status = objectAt(environment, "status");
  const given = objectAt(environment, "spec", "tags");
  const tags = Object.keys(given).map((name) => `${name}=${textAt(given, name)}`);
  const lines: readonly (readonly [string, string])[] = [
    ["id", textAt(environment, "id")],
    ["name", textAt(environment, "spec", "displayName")],
    ["description", textAt(environment, "spec", "description")],
    ["tags", tags.join(", ")],
    ["templates", textsAt(environment, "spec", "templates").join(", ")],
    ["status", textAt(status, "statusText")],
    ["reason", textAt(status, "message")],
    ["health", textAt(status, "health", "state")],
    ["drift", textAt(status, "drift", "state")],
    ["created", textAt(environment, "createdAt")],
    ["planned destruction", textAt(status, "plannedDestructionAt")],
    ["destroyed", textAt(status, "destroyedAt")],
    ["operation", textAt(status, "operation")],
    ["last operation", textAt(status, "lastOperation")],
    ["ready", readyText(status)],
  ];
  const links = listAt(status, "entryPoints").map((entry): readonly [string, string] => [
    textAt(entry, "name"),
    textAt(entry, "url"),
  ]);
  return [...lines, ...links]
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${`${name}:`.padEnd(21)}${value}`);
}

function readyText(status: JsonObject): string {
  const total = numberAt(status, "resources", "total");
  if (total === undefined || total === 0) return "";
  return `${numberAt(status, "resources", "ready") ?? 0} of ${total}`;
}
