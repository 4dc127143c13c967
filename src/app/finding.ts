/** Failures as findings of `setpoint doctor`. */
import type { Finding } from "../contract/finding.ts";
import { entryOf, isSetpointError } from "../kernel/errors.ts";
import { errorChain } from "../telemetry/log.ts";

export function failure(subject: string, what: string, error: unknown): Finding {
  const causes = error instanceof Error ? errorChain(error) : [{ message: String(error) }];
  const message = causes.map((cause) => (cause as { message: string }).message).join(", because ");
  const action = isSetpointError(error) ? entryOf(error.code).action : undefined;
  const suggestion = isSetpointError(error) ? (error.suggestion ?? action) : undefined;
  return {
    level: "bad",
    subject,
    message: message.includes(what) ? message : `${what}: ${message}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
