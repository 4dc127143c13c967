// `npm run docs`: writes the tables of docs/reference/rest.md from the routes, so that the page and
// the program cannot disagree. The text around the tables is written by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMemoryPlane } from "../src/app/memory-plane.ts";
import { shipRoutes } from "../src/app/replication/ship-routes.ts";
import type { Route, RouteDescription, RoutePorts } from "../src/contract/route.ts";
import { objectAt, textAt, textsAt } from "../src/kernel/json-read.ts";
import type { JsonObject } from "../src/kernel/json.ts";
import type { ReplicatedStore } from "../src/store/replication.ts";
import { withDocRoutes } from "../src/surfaces/rest/doc-routes.ts";
import { recentRoute } from "../src/surfaces/rest/recent-route.ts";
import type { RecentPorts } from "../src/surfaces/rest/recent-route.ts";
import { selfRoutes } from "../src/surfaces/rest/self-routes.ts";
import type { SelfPorts } from "../src/surfaces/rest/self-routes.ts";
import { root } from "./stages.ts";

export const restPage = "docs/reference/rest.md";

const begin = "<!-- routes: written by `npm run docs` -->";
const end = "<!-- end of routes -->";

/** The page with its tables written again. */
export async function renderRestPage(page: string): Promise<string> {
  const [head = "", rest = ""] = page.split(begin);
  const [, tail = ""] = rest.split(end);
  return `${head}${begin}\n\n${routeTables(await allRoutes())}\n${end}${tail}`;
}

/** No handler is called here, so the routes need no ports. */
export async function allRoutes(): Promise<readonly Route[]> {
  await using memory = await openMemoryPlane();
  const noPorts = {} as RoutePorts;
  const own = memory.plane.modules.routes.flatMap((routesOf) => routesOf(noPorts));
  return withDocRoutes(
    [
      ...own,
      ...selfRoutes({} as SelfPorts),
      recentRoute({} as RecentPorts),
      ...shipRoutes({} as ReplicatedStore),
    ],
    "",
  );
}

/** One table of all routes, and one of the parameters of each. */
export function routeTables(all: readonly RouteDescription[]): string {
  const rows = all.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`);
  const overview = ["| route | what it does |", "|---|---|", ...rows].join("\n");
  return [overview, ...all.flatMap(parametersOf)].join("\n\n").concat("\n");
}

function parametersOf({ method, path, query, body }: RouteDescription): readonly string[] {
  const rows = [...fieldRows(query, "query"), ...fieldRows(body, "body")];
  if (rows.length === 0) return [];
  const head = "| parameter | in | type | meaning |";
  return [`### ${method} ${path}`, [head, "|---|---|---|---|", ...rows].join("\n")];
}

function fieldRows(schema: JsonObject | undefined, place: string): readonly string[] {
  const properties = objectAt(schema, "properties");
  const required = textsAt(schema, "required");
  return Object.keys(properties).map((name) => {
    const type = textAt(properties, name, "type");
    const need = required.includes(name) ? " (required)" : "";
    const meaning = textAt(properties, name, "description").replaceAll("|", String.raw`\|`);
    return `| \`${name}\` | ${place} | ${type}${need} | ${meaning} |`;
  });
}

if (import.meta.main) {
  const path = join(root, restPage);
  const page = readFileSync(path, "utf8");
  writeFileSync(path, await renderRestPage(page));
}
