// The answer to a request that is carried out after it: 202, and where to ask how far it is and for
// what comes of it.

import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { operationUrl } from "./operation-url.ts";

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
