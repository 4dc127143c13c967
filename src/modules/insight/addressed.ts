// The resource that a route is about, from its path and query. The surface has checked that the
// kind exists, that the namespace fits it, and that the caller has the right.

import type { RouteRequest } from "../../contract/route.ts";
import type { KindRegistry } from "../../intents/kinds/registry.ts";
import { notFound } from "../../intents/refusals.ts";
import { keyOfTarget } from "../../intents/request.ts";
import type { Target } from "../../intents/request.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";

export interface Addressed {
  readonly served: ServedKind;
  readonly target: Target;
  readonly key: ResourceKey;
}

export function addressedBy(
  kinds: Pick<KindRegistry, "byId">,
  { path, query }: Pick<RouteRequest, "path" | "query">,
): Addressed {
  const served = kindNamed(kinds, path["kind"] ?? "", "path.kind");
  const isNamespaced = served.kind.scope === "Namespaced";
  const target: Target = {
    served,
    version: served.preferred,
    namespace: isNamespaced ? textAt(query, "namespace") : "",
    name: path["name"] ?? "",
    subresource: "",
  };
  return { served, target, key: keyOfTarget(target) };
}

export function kindNamed(
  kinds: Pick<KindRegistry, "byId">,
  id: string,
  field: string,
): ServedKind {
  const served = kinds.byId(id);
  if (served !== undefined) return served;
  const message = `the server has no kind ${JSON.stringify(id.slice(0, 200))}`;
  throw new SetpointError("resource.not_found", message, {
    details: { field },
    suggestion: "write the plural and the group, such as configmaps or databases.shop.example",
  });
}

export function missing({ served, key }: Addressed): SetpointError {
  return notFound(served.kind, key.name);
}

/** The names of a resource, as answers show them. */
export function nameJson({ kind, namespace, name }: ResourceKey): JsonObject {
  return { kind, ...(namespace === "" ? {} : { namespace }), name };
}
