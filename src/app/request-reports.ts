// What the log of the server says about requests: faults, failed authentications, and the answers
// that a surface wants to be found by their ids.

import type { RequestReports, RequestSummary } from "../surfaces/http/error-envelope.ts";
import type { Logger } from "../telemetry/log.ts";

export function requestReports(log: Logger): RequestReports {
  return {
    onError: (error, request) => log.error({ error, ...fieldsOf(request) }, "request failed"),
    onAnswer: (request) => log.info(fieldsOf(request), "request answered"),
    onUnauthenticated: (reason, request) =>
      log.info({ reason, ...fieldsOf(request) }, "request not authenticated"),
  };
}

function fieldsOf({ ids, ...summary }: RequestSummary): Readonly<Record<string, unknown>> {
  const { request, correlation, client, trace } = ids;
  return { ...summary, request, correlation, client, trace };
}
