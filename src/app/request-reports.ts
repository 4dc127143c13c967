// What the log of the server says about requests: faults, failed authentications, and the answers
// that a surface wants to be found by their ids.

import { limits } from "../kernel/limits.ts";
import { shortText } from "../kernel/short-text.ts";
import type { Timers } from "../kernel/timers.ts";
import type { RequestReports, RequestSummary } from "../surfaces/http/error-envelope.ts";
import { limitedLog } from "../telemetry/limited-log.ts";
import type { Logger } from "../telemetry/log.ts";

export interface OwnReports extends RequestReports, Disposable {
  /** The log with the limit, for other lines that callers cause. */
  readonly callerLog: Logger;
  /** For an error that no surface could answer. */
  readonly onUnhandled: (error: unknown, request: { readonly method: string }) => void;
  /** For an error that ended a stream of items after its first byte. */
  readonly onStreamError: (error: unknown) => void;
}

/** Lines that any caller can cause as often as it likes are limited. */
export function requestReports(log: Logger, timers: Pick<Timers, "after">): OwnReports {
  const limited = limitedLog(log, timers);
  return {
    callerLog: limited,
    onUnhandled: (error, { method }) => limited.error({ error, method }, "request not handled"),
    onStreamError: (error) => limited.warn({ error }, "stream ended with an error"),
    onError: (error, request) => limited.error({ error, ...fieldsOf(request) }, "request failed"),
    onAnswer: (request) => {
      const into = refusals.has(request.status) ? limited : log;
      into.info(fieldsOf(request), "request answered");
    },
    onUnauthenticated: (reason, request) =>
      limited.info({ reason, ...fieldsOf(request) }, "request not authenticated"),
    [Symbol.dispose]: () => limited[Symbol.dispose](),
  };
}

/** Callers need no right to receive these. */
const refusals: ReadonlySet<number> = new Set([401, 429]);

export function fieldsOf({ ids, ...summary }: RequestSummary): Readonly<Record<string, unknown>> {
  const { request, correlation, client, trace } = ids;
  const path = shortText(summary.path, limits.maxLoggedPathChars);
  return { ...summary, path, request, correlation, client, trace };
}
