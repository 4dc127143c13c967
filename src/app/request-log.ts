// The request log: one line for each request of every surface, when it has ended. Queries and
// bodies may contain secrets and are never in it. A crash loses the lines of the last moments.

import type { Clock } from "../kernel/clock.ts";
import { limits } from "../kernel/limits.ts";
import { shortText } from "../kernel/short-text.ts";
import type { FinishedRequest } from "../surfaces/http/error-envelope.ts";
import type { Logger } from "../telemetry/log.ts";
import { LineLog } from "./line-log.ts";
import { fieldsOf } from "./request-reports.ts";

export interface RequestLogOptions {
  /** File that lines are added to. */
  readonly path: string;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface RequestLog extends AsyncDisposable {
  readonly add: (request: FinishedRequest) => void;
}

export async function openRequestLog(options: RequestLogOptions): Promise<RequestLog> {
  const { clock } = options;
  const file = await LineLog.open({ ...options, option: "request-log", things: "request lines" });
  return {
    add: ({ startedMs, user, remoteAddress, ...summary }) => {
      const nowMs = clock.nowMs();
      const time = new Date(nowMs).toISOString();
      const by = { user: shortText(user, limits.maxLoggedPathChars), address: remoteAddress };
      const durationMs = nowMs - startedMs;
      file.add(JSON.stringify({ time, ...fieldsOf(summary), durationMs, ...by }));
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
