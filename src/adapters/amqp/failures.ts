// Failures of brokers as errors of Setpoint. No message repeats an address or a credential.

import { SetpointError } from "../../kernel/errors.ts";

export function unavailable(reason: string, cause?: unknown): SetpointError {
  return new SetpointError("broker.unavailable", `the message broker is not usable: ${reason}`, {
    cause,
    details: { reason },
  });
}

export function declarationConflict(what: string, cause?: unknown): SetpointError {
  const message = `${what} exists on the broker with other arguments`;
  return new SetpointError("broker.conflict", message, {
    cause,
    suggestion: "delete it when it is empty, or configure another name",
  });
}
