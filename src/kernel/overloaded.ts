// The refusal of work beyond a bound: the client may try again.

import { SetpointError } from "./errors.ts";

/** Without a stack, which takes most of the time of a refusal. */
export function overloaded(): SetpointError {
  const message = "Too many requests, please try again later.";
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new SetpointError("request.overloaded", message, { details: { retryAfterSeconds: 1 } });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
