// The refusal of work beyond a bound: the client may try again.

import { SetpointError } from "./errors.ts";

export function overloaded(): SetpointError {
  const message = "Too many requests, please try again later.";
  return new SetpointError("request.overloaded", message, { details: { retryAfterSeconds: 1 } });
}
