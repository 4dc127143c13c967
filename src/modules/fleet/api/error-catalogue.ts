// The errors of the three APIs by number, as fleet managers define them. Numbers are public API:
// never renamed, never reused. GET /errors shows this table.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Offering } from "../offering.ts";

export interface FleetErrorEntry {
  readonly status: number;
  readonly reason: string;
}

export const fleetErrors = {
  4: { status: 403, reason: "Forbidden to perform this action" },
  5: { status: 403, reason: "Forbidden to create more instances than the maximum allowed" },
  6: { status: 409, reason: "An entity with the specified unique values already exists" },
  7: { status: 404, reason: "Resource not found" },
  8: { status: 400, reason: "General validation failure" },
  9: { status: 500, reason: "Unspecified error" },
  10: { status: 405, reason: "HTTP method not implemented for this endpoint" },
  11: { status: 403, reason: "Account is unauthorized to perform this action" },
  12: { status: 403, reason: "Required terms have not been accepted" },
  15: { status: 401, reason: "Account authentication could not be verified" },
  17: { status: 400, reason: "Unable to read the request" },
  18: { status: 403, reason: "The service is in maintenance" },
  21: { status: 400, reason: "Bad request" },
  23: { status: 400, reason: "Failed to parse the search query" },
  24: { status: 403, reason: "The maximum number of allowed instances has been reached" },
  25: { status: 410, reason: "Resource gone" },
  30: { status: 400, reason: "Provider not supported" },
  31: { status: 400, reason: "Region not supported" },
  32: { status: 400, reason: "The name of the instance is invalid" },
  33: { status: 400, reason: "Minimum field length not reached" },
  34: { status: 400, reason: "Maximum field length exceeded" },
  35: { status: 400, reason: "Only instances in several zones are supported, use multi_az=true" },
  36: { status: 409, reason: "The name of the instance is already used" },
  37: { status: 400, reason: "Field validation failed" },
  38: { status: 400, reason: "Service account name is invalid" },
  39: { status: 400, reason: "Service account description is invalid" },
  40: { status: 400, reason: "Service account id is invalid" },
  41: { status: 400, reason: "Instance type not supported" },
  103: { status: 400, reason: "Synchronous action is not supported, use the parameter async=true" },
  106: { status: 500, reason: "Failed to create the client of the instance at the SSO server" },
  107: { status: 500, reason: "Failed to get the client secret of the instance" },
  108: { status: 500, reason: "Failed to get the client of the instance" },
  109: { status: 500, reason: "Failed to delete the client of the instance" },
  110: { status: 500, reason: "Failed to create the service account" },
  111: { status: 500, reason: "Failed to get the service account" },
  112: { status: 500, reason: "Failed to delete the service account" },
  113: { status: 404, reason: "Failed to find the service account" },
  120: { status: 403, reason: "Insufficient quota" },
  121: { status: 500, reason: "Failed to check quota" },
  429: { status: 429, reason: "Too many requests" },
  1000: { status: 500, reason: "An unexpected error happened, see the log of the service" },
} as const satisfies Record<number, FleetErrorEntry>;

export type FleetErrorNumber = keyof typeof fleetErrors;

/** In ascending order. */
export const fleetErrorNumbers = Object.keys(fleetErrors)
  .map((text) => Number(text) as FleetErrorNumber)
  .sort((one, other) => one - other);

type Named = Pick<Offering, "instances">;

export function fleetErrorNumber(text: string): FleetErrorNumber | undefined {
  const isNumber = /^[1-9]\d{0,4}$/.test(text) && Object.hasOwn(fleetErrors, text);
  return isNumber ? (Number(text) as FleetErrorNumber) : undefined;
}

/** The error object. `operationId` is absent in the catalogue. */
export function fleetErrorObject(
  { instances }: Named,
  number: FleetErrorNumber,
  given: { readonly reason?: string; readonly operationId?: string } = {},
): JsonObject {
  const { plural } = instances;
  const { reason = fleetErrors[number].reason, operationId } = given;
  return {
    id: String(number),
    kind: "Error",
    href: `/api/${plural}_mgmt/v1/errors/${number}`,
    code: `${plural.toUpperCase()}-MGMT-${number}`,
    reason,
    ...(operationId === undefined ? {} : { operation_id: operationId }),
  };
}
