// Whether a write lost a race against another writer: the resource has changed, was deleted, or
// another one has its path. The surface reads again and decides again.

import { isSetpointError } from "../../../kernel/errors.ts";

export function isLostRace(error: unknown): boolean {
  return (
    isSetpointError(error, "resource.already_exists") ||
    isSetpointError(error, "resource.not_found") ||
    isSetpointError(error, "name.taken") ||
    (isSetpointError(error, "resource.conflict") && !Object.hasOwn(error.details, "arm"))
  );
}
