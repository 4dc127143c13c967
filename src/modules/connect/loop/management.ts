// What a resource itself says about how its object is managed.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Management } from "../binding.ts";

export function managementOf(resource: Resource): Management {
  const connect = resource["connect"];
  // The schema of the definition has seen to the types.
  return connect !== undefined && isJsonObject(connect) ? connect : {};
}
