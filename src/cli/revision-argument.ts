// Revisions as the commands of the history take them, and errors of the REST API in terms of their
// options.
import { SetpointError, isSetpointError } from "../kernel/errors.ts";

const seeHistory = "use a revision from setpoint history KIND/NAME";

/** `name` is the option or the argument. */
export function revisionOf(text: string, name: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new SetpointError("config.invalid", `${name} ${JSON.stringify(text)} is not a revision`, {
    suggestion: seeHistory,
  });
}

/** The error of a rollback, with a suggestion that can be followed on the command line. */
export function rollbackError(error: unknown, ifRevision: string | undefined): unknown {
  if (isSetpointError(error, "precondition.failed")) {
    const message = `the resource is not at revision ${ifRevision ?? ""}: it has been changed`;
    return new SetpointError(error.code, message, {
      details: error.details,
      suggestion: "see setpoint history KIND/NAME, and name its newest revision in --if-revision",
    });
  }
  if (isSetpointError(error, "resource.invalid")) {
    return new SetpointError(error.code, error.message, {
      details: error.details,
      suggestion: "choose a revision that the rules of the kind allow, or edit the resource",
    });
  }
  return error;
}
