// What an error says about the system that was called. The system is to blame unless the error
// says that the request was wrong (then it answered as it should), or that the caller gave up.

import { isSetpointError } from "../../kernel/errors.ts";
import type { CallResult } from "./breaker.ts";
import { ReconcileFailure } from "../outcome.ts";
import { RunEnded } from "../run/run-ended.ts";
import { isSuperseded } from "../run/superseded.ts";

/** The signal is that of the run. */
export function resultOfError(error: unknown, signal: AbortSignal): CallResult {
  if (signal.aborted) return isTimeout(signal.reason) ? "failure" : "void";
  if (isSuperseded(error)) return "void";
  // From the engine's own parts, used inside of the call: it says nothing about the system.
  if (isSetpointError(error) || error instanceof RunEnded) return "void";
  if (error instanceof ReconcileFailure) {
    return error.outcome.retry === "never" ? "success" : "failure";
  }
  const status = statusOf(error);
  return status === undefined || isOfSystem(status) ? "failure" : "success";
}

/**
 * What kind of failure it was, in one word such as ECONNREFUSED, ConnectionFailed or 503. All who
 * use the system are told, in whichever namespace, so nothing of the error's text is in it.
 */
export function failureWord(error: unknown): string | undefined {
  if (error instanceof ReconcileFailure) return error.outcome.reason;
  const { code, reason, cause, name } = fieldsOf(error);
  const status = statusOf(error);
  const word = [code, fieldsOf(cause)["code"], reason].find(
    (each) => typeof each === "string" && wordPattern.test(each),
  );
  if (typeof word === "string") return word;
  if (status !== undefined) return String(status);
  return name === "TimeoutError" ? "Timeout" : undefined;
}

const wordPattern = /^[A-Z][A-Za-z_]{1,40}$/;

/** Only clients that asked for too much too often are told so because of the system's state. */
function isOfSystem(status: number): boolean {
  return status < 400 || status >= 500 || status === 408 || status === 429;
}

/** Under the names that clients of HTTP give it. */
function statusOf(error: unknown): number | undefined {
  const { status, statusCode, response } = fieldsOf(error);
  const { status: answered, statusCode: answeredCode } = fieldsOf(response);
  return [status, statusCode, answered, answeredCode].find((each) => typeof each === "number");
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null;
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}
