// One call of a service that speaks HTTP, by a run: under the circuit breaker of its system, with
// every failure that all services share as an outcome. No text contains what was sent, a URL, or
// what the service answered, because tenants read it; only `refusedCall` quotes what its caller
// gives it.

import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { retryAfterMs } from "../../kernel/retry-after.ts";
import { ReconcileFailure, failed } from "../outcome.ts";
import type { Failed } from "../outcome.ts";
import type { Context } from "../reconciler.ts";
import { CallRefused } from "./call-refused.ts";

export interface ServiceCall {
  /** For the circuit breaker and the metrics, such as "dns-zone/public". */
  readonly system: string;
  /** For people, such as "the server of the DnsZone public". */
  readonly service: string;
  readonly send: (signal: AbortSignal) => Promise<ServiceAnswer | ServiceFailure>;
}

/** As in adapters/http/port.ts. */
export interface ServiceAnswer {
  readonly kind: "json";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Json | undefined;
}

export interface ServiceFailure {
  readonly kind: "failure";
  readonly reason: string;
  readonly isUnsent: boolean;
  readonly code: string;
}

/** The service did not answer, or not as a service that works. */
export class ServiceFailed extends ReconcileFailure {
  /** The service cannot have read the request. */
  readonly isUnsent: boolean;

  constructor(outcome: Failed, isUnsent: boolean) {
    super(outcome);
    this.name = "ServiceFailed";
    this.isUnsent = isUnsent;
  }
}

/** The service answered that it did not do what was requested. */
export class ServiceRefused extends ReconcileFailure {
  constructor(outcome: Failed) {
    super(outcome);
    this.name = "ServiceRefused";
  }
}

/** Whether the service has certainly not done what a call requested. */
export function isCertainlyUndone(error: unknown): boolean {
  if (error instanceof ServiceRefused || error instanceof CallRefused) return true;
  return error instanceof ServiceFailed && error.isUnsent;
}

/** Any answer below 500, except 408 and 429. Throws `ServiceFailed` when there is none. */
export async function callService(
  context: Pick<Context, "outside" | "clock">,
  { system, service, send }: ServiceCall,
): Promise<ServiceAnswer> {
  return await context.outside(system, async (signal) => {
    const result = await send(signal);
    if (result.kind === "failure") {
      signal.throwIfAborted();
      throw new ServiceFailed(failureOutcome(service, result), result.isUnsent);
    }
    const { status, headers } = result;
    if (status < 500 && status !== 408 && status !== 429) return result;
    const afterMs = retryAfterMs(headers, context.clock.nowMs());
    const reason = statusReasons[status] ?? "ServerError";
    const message = `${service} answered with status ${status}`;
    const later = afterMs === undefined ? {} : { afterMs };
    throw new ServiceFailed(failed(reason, message, later), false);
  });
}

/**
 * The service refused a request: a person has to change something. `detail` is a text of the
 * service without secrets; empty for none.
 */
export function refusedCall(service: string, status: number, detail: string): ServiceRefused {
  const isAboutCredentials = status === 401 || status === 403;
  const reason = isAboutCredentials ? "CredentialsRefused" : "RequestRefused";
  const what = isAboutCredentials ? "the credentials" : "the request";
  const said = shownDetail(detail);
  const message = `${service} refused ${what} with status ${status}${said}`;
  return new ServiceRefused(failed(reason, message, { retry: "slow" }));
}

/** The service answered something that is not part of its protocol. */
export function invalidAnswer(service: string, what: string): ReconcileFailure {
  return new ReconcileFailure(failed("InvalidAnswer", `${service} answered without ${what}`));
}

function shownDetail(detail: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that are removed
  const line = detail.replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return line === "" ? "" : `: ${line.slice(0, limits.maxServiceDetailChars).toWellFormed()}`;
}

const statusReasons: Readonly<Record<number, string>> = {
  408: "Timeout",
  429: "TooManyRequests",
  502: "Unavailable",
  503: "Unavailable",
  504: "Unavailable",
};

function failureOutcome(service: string, { reason, code }: ServiceFailure): Failed {
  switch (reason) {
    case "timeout":
      return failed("Timeout", `${service} did not answer in time`);
    case "tooLarge":
      return failed("AnswerTooLarge", `the answer of ${service} is too large`, { retry: "slow" });
    case "invalid":
      return failed("InvalidAnswer", `the answer of ${service} is not valid`);
    case "tls":
      return failed(
        "TlsFailed",
        `the certificate of ${service} was not accepted${inBrackets(code)}`,
      );
    default: {
      const text = connectionTexts[code] ?? `cannot be reached${inBrackets(code)}`;
      return failed("ConnectionFailed", `${service} ${text}`);
    }
  }
}

function inBrackets(code: string): string {
  return code === "" ? "" : ` (${code})`;
}

const connectionTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ENOTFOUND: "has a host name that cannot be resolved",
  EAI_AGAIN: "has a host name that cannot be resolved at present",
  ECONNRESET: "closed the connection",
};
