// `npm run fleet:docs`: writes the tables of docs/reference/fleet-api.md from the routes of the
// Offering in examples/dinosaurs, and from the catalogue of errors. The text around the tables is
// written by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RouteDescription } from "../../src/contract/route.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { fleetErrorNumbers, fleetErrors } from "../../src/modules/fleet/api/error-catalogue.ts";
import type { CustomerPorts } from "../../src/modules/fleet/api/fleet-route.ts";
import { routeTable } from "../../src/modules/fleet/api/route-table.ts";
import { readOffering } from "../../src/modules/fleet/offering.ts";
import { mountedRoutes } from "../../src/surfaces/fleet/mounted-routes.ts";
import { routeTables } from "../rest-doc.ts";
import { root } from "../stages.ts";

export const fleetApiPage = "docs/reference/fleet-api.md";

/** The page with its tables written again. */
export function renderFleetApiPage(page: string): string {
  const routes = section(page, "routes", routeTables(dinosaurRoutes()));
  return section(routes, "errors", errorTable());
}

function section(page: string, name: string, content: string): string {
  const begin = `<!-- ${name}: written by \`npm run fleet:docs\` -->`;
  const end = `<!-- end of ${name} -->`;
  const [head = "", rest = ""] = page.split(begin);
  const [, tail = ""] = rest.split(end);
  return `${head}${begin}\n\n${content}\n${end}${tail}`;
}

/** Of the public API. No handler is called here, so the routes need no ports. */
function dinosaurRoutes(): readonly RouteDescription[] {
  const text = readFileSync(join(root, "examples/dinosaurs/offering.yaml"), "utf8");
  const offering = readOffering(parseYaml(text).value as Resource);
  const noPorts = { fleet: { extraRoutes: [] } } as unknown as CustomerPorts;
  const mounted = mountedRoutes(offering, routeTable(noPorts, offering));
  return mounted.flatMap(({ route, path, apiClass }) =>
    apiClass === "public" ? [Object.assign({}, route, { path })] : [],
  );
}

function errorTable(): string {
  const rows = fleetErrorNumbers.map((number) => {
    const { status, reason } = fleetErrors[number];
    return `| ${number} | ${status} | ${reason} |`;
  });
  return ["| number | status | reason |", "|---|---|---|", ...rows].join("\n").concat("\n");
}

if (import.meta.main) {
  const path = join(root, fleetApiPage);
  const page = readFileSync(path, "utf8");
  writeFileSync(path, renderFleetApiPage(page));
}
