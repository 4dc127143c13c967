// Decides whether a caller may use a route, from the route's own entry in the table.

import type { RouteAccess, RouteRequest } from "../../contract/route.ts";
import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import type { Authorizer, ResourceAccess } from "../../intents/auth/policy.ts";
import type { KindRegistry } from "../../intents/kinds/registry.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { textAt } from "../../kernel/json-read.ts";
import { invalidRequest } from "./field-problem.ts";

export interface AccessPorts {
  readonly authorizer: Authorizer;
  readonly kinds: Pick<KindRegistry, "byId">;
}

type Asked = Pick<RouteRequest, "path" | "query" | "caller">;

/** Throws request.forbidden, or what is wrong with the address of a resource. */
export function checkAccess(ports: AccessPorts, access: RouteAccess, request: Asked): void {
  switch (access.kind) {
    case "public":
    case "authenticated":
      return;
    case "resource":
      require(ports, request, fixedAccess(access, request));
      return;
    case "addressed":
      for (const verb of access.verbs) {
        require(ports, request, addressedAccess(ports, verb, request));
      }
      return;
    default:
      access satisfies never;
  }
}

function require({ authorizer }: AccessPorts, { caller }: Asked, access: ResourceAccess): void {
  const { allowed, reason } = authorizer.authorize(caller.user, access);
  if (!allowed) throw forbiddenAccess(caller.user, access, reason);
}

function fixedAccess(
  access: Extract<RouteAccess, { readonly kind: "resource" }>,
  request: Asked,
): ResourceAccess {
  const { verb, group, resource, namespace = "", name = "" } = access;
  return {
    kind: "resource",
    verb,
    group,
    resource,
    subresource: "",
    namespace: filled(namespace, request),
    name: filled(name, request),
  };
}

function filled(template: string, { path, query }: Asked): string {
  return template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    return Object.hasOwn(path, name) ? (path[name] ?? "") : textAt(query, name);
  });
}

function addressedAccess(ports: AccessPorts, verb: string, request: Asked): ResourceAccess {
  const { kind: id = "", name = "" } = request.path;
  const served = ports.kinds.byId(id);
  if (served === undefined) throw unknownKind(id);
  const namespace = namespaceFor(served, textAt(request.query, "namespace"));
  const { group, names } = served.kind;
  const what = { group, resource: names.plural, subresource: "" };
  return { kind: "resource", verb, ...what, namespace, name };
}

function namespaceFor({ kind }: ServedKind, namespace: string): string {
  const isNamespaced = kind.scope === "Namespaced";
  if (isNamespaced && namespace === "") {
    const detail = `${kind.names.kind} is a namespaced kind, so the query needs a namespace`;
    throw invalidRequest([{ field: "query.namespace", detail }], "add ?namespace=NAME");
  }
  if (!isNamespaced && namespace !== "") {
    const detail = `${kind.names.kind} is a cluster-wide kind and has no namespace`;
    throw invalidRequest([{ field: "query.namespace", detail }], "leave out namespace");
  }
  return namespace;
}

function unknownKind(id: string): SetpointError {
  const message = `the server has no kind ${JSON.stringify(id.slice(0, 200))}`;
  return new SetpointError("resource.not_found", message, {
    details: { field: "path.kind" },
    suggestion: "write the plural and the group, such as configmaps or databases.shop.example",
  });
}
