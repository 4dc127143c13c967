// The access that a request to one resource needs.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { ResourceAccess } from "./policy.ts";

/** To get it; a caller that wants more replaces the verb. */
export function accessTo({ kind }: ServedKind, { namespace, name }: ResourceKey): ResourceAccess {
  const { group, names } = kind;
  const resource = names.plural;
  return { kind: "resource", verb: "get", group, resource, subresource: "", namespace, name };
}
