// Finds the route of a request. The table is checked once, when the server starts: a mistake in it
// is a mistake of a module and ends the start with a message that names the route.

import type { Route } from "../../contract/route.ts";
import { assert } from "../../kernel/assert.ts";
import { matchTemplate, parseTemplate, pathSegments } from "./path-template.ts";
import type { PathTemplate } from "./path-template.ts";
import { prefixOfRoute } from "./route-prefix.ts";

export type RouteMatch =
  | {
      readonly kind: "found";
      readonly route: Route;
      readonly path: Readonly<Record<string, string>>;
    }
  /** The path exists, with other methods. */
  | { readonly kind: "other-method"; readonly allowed: readonly string[] }
  | { readonly kind: "none" };

export interface Router {
  /** The path is without its query, as it was sent. */
  find(method: string, path: string): RouteMatch;
}

interface Entry {
  readonly template: PathTemplate;
  readonly route: Route;
}

export function createRouter(routes: readonly Route[]): Router {
  const byShape = new Map<string, Entry[]>();
  for (const route of routes) add(byShape, route);
  return {
    find: (method, path) => {
      const segments = pathSegments(path);
      if (segments === undefined) return { kind: "none" };
      // A literal segment is more exact than a parameter, so its routes come first.
      const entries = [...byShape.values()]
        .filter(([first]) => first !== undefined && matchTemplate(first.template, segments))
        .sort((one, other) => parameters(one) - parameters(other))[0];
      return entries === undefined ? { kind: "none" } : matchOf(entries, method, segments);
    },
  };
}

/** HEAD is answered as GET. The server sends no body for it. */
function matchOf(
  entries: readonly Entry[],
  method: string,
  segments: readonly string[],
): RouteMatch {
  const wanted = method === "HEAD" ? "GET" : method;
  const found = entries.find(({ route }) => route.method === wanted);
  const path = found === undefined ? undefined : matchTemplate(found.template, segments);
  if (found !== undefined && path !== undefined) return { kind: "found", route: found.route, path };
  const methods: readonly string[] = entries.map(({ route }) => route.method);
  const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
  return { kind: "other-method", allowed: [...allowed].sort() };
}

function add(byShape: Map<string, Entry[]>, route: Route): void {
  const { method, path } = route;
  const template = parseTemplate(path);
  assert(template !== undefined, `the path of the route ${method} ${path} is not a template`);
  assert(prefixOfRoute(path) !== undefined, `the route ${method} ${path} is not in the REST API`);
  const shape = template.segments.map((part) => (part.kind === "literal" ? part.text : "{}"));
  const key = shape.join("/");
  const entries = byShape.get(key) ?? [];
  const isTaken = entries.some((entry) => entry.route.method === method);
  assert(!isTaken, `two routes have the method and path ${method} ${path}`);
  byShape.set(key, [...entries, { template, route }]);
}

function parameters(entries: readonly Entry[]): number {
  const segments = entries[0]?.template.segments ?? [];
  return segments.filter(({ kind }) => kind === "parameter").length;
}
