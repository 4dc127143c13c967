// Routes of an instance as an agent reports them. A route becomes a DNS record, so each part must
// be a DNS name, and the router must be below the domain of the cluster: an agent cannot direct a
// name of the service to a host of its choice. One invalid route makes the whole list unusable,
// because an instance with a part of its routes is not usable.

import type { Json } from "../../../kernel/json.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import { listAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { fleetLimits } from "../limits.ts";

export interface ReportedRoute {
  /** Never empty: the prefix, or "default", where the agent reports none. */
  readonly name: string;
  /** Put before the host of the instance; "" for the host itself. */
  readonly prefix: string;
  /** A DNS name, in lower case and without a dot at its end. */
  readonly router: string;
}

export interface ReportedRoutes {
  /** Empty when there are none, and when one of them is invalid. */
  readonly routes: readonly ReportedRoute[];
  /** Why the routes cannot be used. */
  readonly problem: string | undefined;
}

export function readRoutes(reported: Json | undefined): ReportedRoutes {
  const given = listAt({ reported: reported ?? null }, "reported");
  if (given.length > fleetLimits.maxRoutesPerInstance) {
    return unusable(`more than ${fleetLimits.maxRoutesPerInstance} routes`);
  }
  const routes = given.map((route) => (isJsonObject(route) ? readRoute(route) : undefined));
  const invalid = routes.indexOf(undefined);
  if (invalid !== -1) return unusable(`routes[${invalid}] is not a name, a prefix and a router`);
  const valid = routes.filter((route) => route !== undefined);
  const twice = valid.findIndex(({ prefix }, at) => prefixes(valid).indexOf(prefix) !== at);
  if (twice !== -1) return unusable(`routes[${twice}] repeats the prefix of another route`);
  return { routes: valid, problem: undefined };
}

/** The first router that is not below the domain of the cluster, such as apps.eu-1.example.com. */
export function foreignRouter(
  routes: readonly ReportedRoute[],
  clusterDomain: string,
): string | undefined {
  const base = dnsName(clusterDomain).replace(/^apps\./, "");
  const isWithin = (router: string): boolean => router === base || router.endsWith(`.${base}`);
  return routes.find(({ router }) => base === "" || !isWithin(router))?.router;
}

function readRoute(route: Json): ReportedRoute | undefined {
  const prefix = textAt(route, "prefix");
  const router = dnsName(textAt(route, "router"));
  const isPrefixText = typeof (valueAt(route, "prefix") ?? "") === "string";
  if (!isPrefixText || (prefix !== "" && !labelPattern.test(prefix))) return undefined;
  if (router.length > maxDnsNameChars || !namePattern.test(router)) return undefined;
  const name = textAt(route, "name").slice(0, maxRouteNameChars).toWellFormed();
  const fallback = prefix === "" ? "default" : prefix;
  return { name: name === "" ? fallback : name, prefix, router };
}

const maxDnsNameChars = 253;
const maxRouteNameChars = 253;
const labelPattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$/;

function dnsName(text: string): string {
  return text
    .slice(0, maxDnsNameChars + 2)
    .toLowerCase()
    .replace(/\.$/, "");
}

function prefixes(routes: readonly ReportedRoute[]): readonly string[] {
  return routes.map(({ prefix }) => prefix);
}

function unusable(problem: string): ReportedRoutes {
  return { routes: [], problem };
}
