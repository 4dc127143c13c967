// Each request to the admin API has two lines in the log, joined by its operation id: the caller
// with the request, and the result. The audit trail of the server records the request as well.

import { isSetpointError } from "../../../kernel/errors.ts";
import type { FleetRequest, FleetRoute, FleetRoutePorts } from "./fleet-route.ts";

export function logged(
  { log, clock }: Pick<FleetRoutePorts, "log" | "clock">,
  route: FleetRoute,
): FleetRoute {
  return {
    ...route,
    handle: async (request) => {
      const fields = fieldsOf(route, request);
      const fromMs = clock.nowMs();
      log.info(fields, "admin request started");
      const end = (status: number): void => {
        const duration_ms = clock.nowMs() - fromMs;
        log.info({ ...fields, status, duration_ms }, "admin request ended");
      };
      try {
        const answer = await route.handle(request);
        end(answer.kind === "stream" ? 200 : answer.status);
        return answer;
      } catch (error) {
        end(isSetpointError(error) ? error.status : 500);
        throw error;
      }
    },
  };
}

function fieldsOf(
  { method, path }: FleetRoute,
  { offering, caller, operationId, path: parameters, query }: FleetRequest,
): Readonly<Record<string, unknown>> {
  const reason = query.get("reason");
  return {
    operation_id: operationId,
    offering: offering.name,
    user: caller.user.name,
    method,
    route: path,
    ...parameters,
    ...(reason === undefined ? {} : { reason }),
  };
}
