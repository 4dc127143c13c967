// The extension point `fleet` of user modules: hooks and routes for Offerings.

import type { ExtensionEntry, ExtensionPoint } from "../../../contract/user-module.ts";
import { nearestName } from "../../../kernel/nearest-name.ts";
import type { ModuleHooks } from "./call-hooks.ts";
import type { FleetExtension, FleetHooks } from "./fleet-hooks.ts";
import { routeProblem } from "./own-route-form.ts";
import type { OwnRoute } from "./own-route.ts";

const point = "fleet";

const hookNames: Readonly<Record<keyof FleetHooks, true>> = {
  admit: true,
  choose: true,
  prepare: true,
  provisioned: true,
  ready: true,
  suspend: true,
  resume: true,
  remove: true,
};

export const fleetExtension: ExtensionPoint = {
  name: point,
  of: "module",
  problem: (value, field) => {
    if (!Array.isArray(value)) return `${field} must be a list`;
    for (const [index, entry] of (value as readonly unknown[]).entries()) {
      const problem = entryProblem(entry, `${field}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

function entryProblem(entry: unknown, field: string): string | undefined {
  if (typeof entry !== "object" || entry === null) {
    return `${field} must have an offering, and hooks or routes`;
  }
  const { offering, hooks = {}, routes = [], ...rest } = entry as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    return `${field}.${unknown} is not a known field; known fields: offering, hooks, routes`;
  }
  if (typeof offering !== "string" || offering === "") {
    return `${field}.offering must be the name of an Offering`;
  }
  if (!Array.isArray(routes)) return `${field}.routes must be a list`;
  const problem = hooksProblem(hooks, `${field}.hooks`);
  if (problem !== undefined) return problem;
  for (const [index, route] of (routes as readonly unknown[]).entries()) {
    const found = routeProblem(route, `${field}.routes[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An unknown hook would never be called, so it is refused. */
function hooksProblem(hooks: unknown, field: string): string | undefined {
  if (typeof hooks !== "object" || hooks === null) return `${field} must be an object`;
  const known = Object.keys(hookNames);
  for (const [name, hook] of Object.entries(hooks)) {
    if (!Object.hasOwn(hookNames, name)) {
      const near = nearestName(name, known);
      const meant = near === undefined ? "" : `; did you mean ${near}?`;
      return `${field}.${name} is not a known hook; known hooks: ${known.join(", ")}${meant}`;
    }
    if (typeof hook !== "function") return `${field}.${name} must be a function`;
  }
  return undefined;
}

/** In the order in which they are called. */
export function hooksIn(extensions: readonly ExtensionEntry[]): readonly ModuleHooks[] {
  return entriesIn(extensions).flatMap(({ module, entry: { offering, hooks } }) =>
    hooks === undefined ? [] : [{ module, offering, hooks }],
  );
}

export interface ModuleRoute {
  readonly module: string;
  readonly offering: string;
  readonly route: OwnRoute;
}

export function routesIn(extensions: readonly ExtensionEntry[]): readonly ModuleRoute[] {
  return entriesIn(extensions).flatMap(({ module, entry: { offering, routes = [] } }) =>
    routes.map((route) => ({ module, offering, route })),
  );
}

interface NamedEntry {
  readonly module: string;
  readonly entry: FleetExtension;
}

function entriesIn(extensions: readonly ExtensionEntry[]): readonly NamedEntry[] {
  return extensions.flatMap(({ point: of, module, value }) =>
    of === point ? (value as readonly FleetExtension[]).map((entry) => ({ module, entry })) : [],
  );
}
