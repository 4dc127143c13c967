// The URLs under which a client polls an operation.

import { plainLocation } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import { baseUrl } from "../request/arm-request.ts";
import type { ArmRequest } from "../request/arm-request.ts";

export function operationUrl(
  request: ArmRequest,
  operation: {
    readonly place: Pick<ArmPlace, "subscription">;
    readonly face: Pick<ArmFace, "provider">;
    readonly location: string;
    readonly id: string;
    readonly apiVersion: string;
  },
  kind: "operationsStatus" | "operationResults",
): string {
  const { place, face, location, id, apiVersion } = operation;
  const where = plainLocation(location) || "global";
  const path =
    `/subscriptions/${place.subscription}/providers/${face.provider}` +
    `/locations/${encodeURIComponent(where)}/${kind}/${id}`;
  return `${baseUrl(request)}${path}?api-version=${encodeURIComponent(apiVersion)}`;
}
