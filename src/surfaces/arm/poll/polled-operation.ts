// The operation that a poll names. It is found only in its own subscription, provider and location.

import type { JsonObject } from "../../../kernel/json.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import {
  isSameText,
  namespaceOf,
  plainLocation,
} from "../../../modules/resource-provider/arm-names.ts";
import type { OperationPlace } from "../protocol/arm-path.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { operationIn } from "../../../modules/resource-provider/operations/operations.ts";
import { readRecords } from "../../../modules/resource-provider/operations/operations.ts";
import type { ReadOperation } from "../../../modules/resource-provider/operations/operations.ts";
import type {
  OperationEnd,
  OperationRecord,
  OperationSpec,
} from "../../../modules/resource-provider/operations/record.ts";
import { requiredVersion, isOffered, versionNotOffered } from "../request/provider-version.ts";

/**
 * Throws unless the version is one of the provider's, or that of the operation: what was begun in a
 * version is told in it, also when nobody offers that any more.
 */
export async function checkPolledVersion(
  surface: ArmSurface,
  request: ArmRequest,
  place: OperationPlace,
): Promise<void> {
  const { provider } = place;
  const asked = requiredVersion(request);
  if (isOffered(surface.faces, request, provider, asked)) return;
  const { spec } = await findOperation(surface, place);
  if (!isSameText(spec.apiVersion, asked)) throw versionNotOffered(surface.faces, provider, asked);
}

export async function findOperation(
  surface: ArmSurface,
  place: OperationPlace,
): Promise<OperationRecord> {
  const { subscription, id } = place;
  const read = isId(id) ? await readRecords(surface, namespaceOf(subscription), id) : undefined;
  return operationAt(surface, place, read);
}

/** Throws unless it is one of the place. */
export function operationAt(
  surface: ArmSurface,
  place: OperationPlace,
  read: ReadOperation | undefined,
): OperationRecord {
  const found = read && operationIn(surface, read);
  if (found !== undefined && isAt(place, found.spec)) return found;
  throw operationNotFound(place.id);
}

export function isAt({ provider, location }: OperationPlace, spec: OperationSpec): boolean {
  const where = plainLocation(spec.location) || "global";
  return isSameText(spec.provider, provider) && where === plainLocation(location);
}

export function isId(text: string): boolean {
  return /^[0-9a-f-]{36}$/i.test(text);
}

export function operationNotFound(id: string): Error {
  const message = `The operation '${id}' could not be found.`;
  return armRefusal(404, { code: "OperationNotFound", message });
}

interface ShownError {
  readonly code: string;
  readonly message: string;
}

export function errorOf({ state, error }: OperationEnd): ShownError & JsonObject {
  const code = state === "Canceled" ? "OperationCanceled" : "OperationFailed";
  return shownError(error ?? { code, message: "The operation did not succeed." });
}

export function shownError({ code, message }: ShownError): ShownError & JsonObject {
  return { code, message };
}
