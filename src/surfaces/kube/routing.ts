// Which requests lead anywhere, and how the others are refused. kube-apiserver answers for built-in
// kinds with a Status that names nothing, for defined kinds with a Status that names the resource,
// and for paths nobody serves with plain text; clients and tests tell these apart.

import { SetpointError } from "../../kernel/errors.ts";
import { kindId } from "../../kernel/kind.ts";
import type { Found, KindRegistry } from "../../intents/kinds/registry.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { badRequest, methodNotAllowed, notFound } from "../../intents/refusals.ts";
import type { Exchange } from "../http/exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** Nothing is served at the path. */
export type Route = "served" | "nowhere";

/** For a resource that no kind has. */
export function unknownRoute(kinds: KindRegistry, { group }: RequestInfo): Route {
  const isBuiltinGroup = kinds
    .all()
    .some(({ kind }) => kind.origin === "built-in" && kind.group === group);
  if (isBuiltinGroup) throw noSuchResource();
  return "nowhere";
}

/** Refuses what the kind does not serve. */
export function routeOf(found: Found, info: RequestInfo): Route {
  return found.served.kind.origin === "built-in"
    ? builtinRoute(found, info)
    : definedRoute(found, info);
}

export function noSuchResource(): SetpointError {
  const message = "the server could not find the requested resource";
  return new SetpointError("resource.not_found", message, { details: { name: "" } });
}

export function sendNowhere(exchange: Exchange): void {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache, private",
    "x-content-type-options": "nosniff",
  };
  exchange.send(404, headers, "404 page not found\n");
}

const objectVerbs = new Set(["get", "update", "patch", "delete"]);
const subresourceVerbs = new Set(["get", "update", "patch"]);

function builtinRoute({ served, version }: Found, info: RequestInfo): Route {
  const { verb, name, subresource } = info;
  if (!isPlaced(served, info) || info.rest.length > 0) throw noSuchResource();
  if (subresource !== "") {
    const isFinalize = served.id === "namespaces" && subresource === "finalize";
    const isServed = isFinalize || hasSubresource(version.definition, subresource);
    if (!isServed) throw noSuchResource();
    if (isFinalize ? verb !== "update" : !subresourceVerbs.has(verb)) throw notAllowed();
    return "served";
  }
  const isEverywhere = served.kind.scope === "Namespaced" && info.namespace === "";
  if (isEverywhere && name !== "" && verb !== "watch") throw noSuchResource();
  const isWriteOfMany = isEverywhere && (verb === "create" || verb === "deletecollection");
  const isMisplaced = name === "" ? objectVerbs.has(verb) : verb === "create";
  const isAllNamespaces = served.id === "namespaces" && verb === "deletecollection";
  const isServed = served.verbs.includes(verb) && !isAllNamespaces;
  if (isWriteOfMany || isMisplaced || !isServed) throw notAllowed();
  checkName(name);
  return "served";
}

function definedRoute({ served, version }: Found, info: RequestInfo): Route {
  const { verb, name, subresource } = info;
  const isEverywhere = served.kind.scope === "Namespaced" && info.namespace === "";
  const isListing = (verb === "list" || verb === "watch") && name === "";
  if (!isPlaced(served, info) || (isEverywhere && !isListing)) return "nowhere";
  if (subresource !== "") {
    const isServed = hasSubresource(version.definition, subresource) && info.rest.length === 0;
    if (!isServed) throw notFound(served.kind, name);
    if (!subresourceVerbs.has(verb)) throw unsupported(served, verb);
    return "served";
  }
  if (!served.verbs.includes(verb)) throw unsupported(served, verb);
  if (name === "" && objectVerbs.has(verb)) throw badRequest("name must be provided");
  if (name !== "" && verb === "create") throw unsupported(served, verb);
  checkName(name);
  return "served";
}

/** A namespace in front of a cluster-wide resource leads nowhere, except to that namespace. */
/** A cluster-wide resource is not found inside of a namespace. */
export function isPlaced({ kind, id }: ServedKind, { namespace, name }: RequestInfo): boolean {
  if (kind.scope === "Namespaced" || namespace === "") return true;
  return id === "namespaces" && namespace === name;
}

function hasSubresource(
  { subresources }: Found["version"]["definition"],
  subresource: string,
): boolean {
  if (subresource === "status") return subresources.status;
  return subresource === "scale" && subresources.scale !== undefined;
}

/** Names that would be another path. */
function checkName(name: string): void {
  const quoted = JSON.stringify(name);
  if (name === "." || name === "..") {
    throw badRequest(`Name parameter invalid: ${quoted}: may not be '${name}'`);
  }
  if (name.includes("%")) {
    throw badRequest(`Name parameter invalid: ${quoted}: may not contain '%'`);
  }
}

export function notAllowed(): SetpointError {
  const message = "the server does not allow this method on the requested resource";
  return new SetpointError("request.method_not_allowed", message, { details: { name: "" } });
}

function unsupported({ kind }: ServedKind, verb: string): SetpointError {
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(kindId(kind))}`;
  return methodNotAllowed(kind, message);
}
