// The mark by which an object says whose it is, where the service lets us write one. It holds the
// uid of the resource: two control planes that have the same object can tell.

import type { Resource } from "../../../kernel/resource.ts";

const prefix = "setpoint:";

export function ownerMark({ metadata }: Resource): string {
  return `${prefix}${metadata.uid}`;
}

export function isForeignMark(mark: unknown, resource: Resource): boolean {
  return typeof mark === "string" && mark.startsWith(prefix) && mark !== ownerMark(resource);
}
