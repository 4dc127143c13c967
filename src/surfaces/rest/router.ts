// Finds the route of a request. The table is checked once, when the router is created: a mistake in
// it is a mistake of a module and ends the start with a message that names the route. The paths of
// the routes are relative to the base path, such as "/api/dinosaurs_mgmt/v1", where there is one.

import type { RouteMethod } from "../../contract/route.ts";
import { assert } from "../../kernel/assert.ts";
import { matchTemplate, parseTemplate, pathSegments } from "./path-template.ts";
import type { PathTemplate } from "./path-template.ts";

export type RouteMatch<R extends RouteAddress> =
  | {
      readonly kind: "found";
      readonly route: R;
      readonly path: Readonly<Record<string, string>>;
    }
  /** The path exists, with other methods. */
  | { readonly kind: "other-method"; readonly allowed: readonly string[] }
  | { readonly kind: "none" };

export interface RouteAddress {
  readonly method: RouteMethod;
  readonly path: string;
}

export interface Router<R extends RouteAddress> {
  /** The path is without its query, as it was sent, and begins with the base path. */
  find(method: string, path: string): RouteMatch<R>;
}

interface Entry<R> {
  readonly template: PathTemplate;
  readonly route: R;
}

/** The routes whose paths begin alike. */
interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  parameter: Node<R> | undefined;
  /** Of the path that ends here, one for each method. */
  readonly entries: Entry<R>[];
}

export function createRouter<R extends RouteAddress>(routes: readonly R[], base = ""): Router<R> {
  const root = newNode<R>();
  for (const route of routes) add(root, route);
  return {
    find: (method, path) => {
      const below = pathBelow(base, path);
      const segments = below === undefined ? undefined : pathSegments(below);
      const entries = segments === undefined ? undefined : entriesAt(root, segments, 0);
      if (segments === undefined || entries === undefined) return { kind: "none" };
      return matchOf(entries, method, segments);
    },
  };
}

/** Several slashes at the beginning count as one. */
function pathBelow(base: string, path: string): string | undefined {
  if (base === "") return path;
  const whole = path.replace(/^\/+/, "/");
  if (!whole.startsWith(base)) return undefined;
  const below = whole.slice(base.length);
  return below === "" || below.startsWith("/") ? below : undefined;
}

/** A literal segment is more exact than a parameter, so it is tried first. */
function entriesAt<R>(
  node: Node<R>,
  segments: readonly string[],
  at: number,
): readonly Entry<R>[] | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.entries.length === 0 ? undefined : node.entries;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : entriesAt(literal, segments, at + 1);
  if (found !== undefined) return found;
  if (node.parameter === undefined || segment === "") return undefined;
  return entriesAt(node.parameter, segments, at + 1);
}

/** HEAD is answered as GET. The server sends no body for it. */
function matchOf<R extends RouteAddress>(
  entries: readonly Entry<R>[],
  method: string,
  segments: readonly string[],
): RouteMatch<R> {
  const wanted = method === "HEAD" ? "GET" : method;
  const found = entries.find(({ route }) => route.method === wanted);
  const path = found === undefined ? undefined : matchTemplate(found.template, segments);
  if (found !== undefined && path !== undefined) return { kind: "found", route: found.route, path };
  const methods: readonly string[] = entries.map(({ route }) => route.method);
  const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
  return { kind: "other-method", allowed: [...allowed].sort() };
}

function add<R extends RouteAddress>(root: Node<R>, route: R): void {
  const { method, path } = route;
  const template = parseTemplate(path);
  assert(template !== undefined, `the path of the route ${method} ${path} is not a template`);
  let node = root;
  for (const segment of template.segments) {
    if (segment.kind === "parameter") node = node.parameter ??= newNode();
    else {
      const next = node.literals.get(segment.text) ?? newNode<R>();
      node.literals.set(segment.text, next);
      node = next;
    }
  }
  const isTaken = node.entries.some((entry) => entry.route.method === method);
  assert(!isTaken, `two routes have the method and path ${method} ${path}`);
  node.entries.push({ template, route });
}

function newNode<R>(): Node<R> {
  return { literals: new Map(), parameter: undefined, entries: [] };
}
