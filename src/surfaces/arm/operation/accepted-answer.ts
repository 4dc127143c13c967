// The answer to a request that is carried out after it: 202, and where to ask how far it is and for
// what comes of it.

import type { ArmAnswer, ArmRequest, ArmSurface } from "../request/arm-request.ts";
import { operationUrl } from "../resource/resource-view.ts";

export function acceptedAnswer(
  surface: ArmSurface,
  request: ArmRequest,
  operation: Parameters<typeof operationUrl>[1],
): ArmAnswer {
  return {
    status: 202,
    headers: {
      location: operationUrl(request, operation, "operationResults"),
      "azure-asyncoperation": operationUrl(request, operation, "operationsStatus"),
      "retry-after": surface.retryAfterSeconds,
    },
  };
}
