// The cause of a change, as answers show it. Changes of earlier releases have none.

import type { JsonObject } from "../../kernel/json.ts";
import type { Change } from "../../store/port.ts";

export function causeJson({ cause }: Pick<Change, "cause">): JsonObject {
  return cause === undefined ? {} : { cause: { ...cause } };
}

export function timeOf({ atMs }: Change): string {
  return new Date(atMs).toISOString();
}
