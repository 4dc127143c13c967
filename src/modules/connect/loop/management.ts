// What a resource itself says about how its object is managed.

import { isJsonObject } from "../../../kernel/json.ts";
import { isTrueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Management } from "../binding.ts";

export function managementOf(resource: Resource): Management {
  const connect = resource["connect"];
  // The schema of the definition has seen to the types.
  return connect !== undefined && isJsonObject(connect) ? connect : {};
}

/**
 * Whether the object outlives the resource. What was adopted by its id does unless told; what we
 * made does not, also when somebody has written its id down since.
 */
export function isKept(resource: Resource): boolean {
  const { manage, id } = managementOf(resource);
  if (manage === undefined) {
    return id !== undefined && isTrueAt(resource.status, "connect", "adopted");
  }
  return manage !== "full";
}
