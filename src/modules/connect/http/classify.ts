// What an error of a service means for the loop. The rules of the kind come first; the rest is what
// holds for most services: try again, soon when it may pass by itself and slowly when somebody has
// to change something. Nothing is given up for good unless a rule says so, because what looks final
// has too often been seen to pass.

import type { ErrorRule } from "../binding.ts";
import type { ErrorFacts } from "./answer.ts";

export type ErrorClass = ErrorRule["is"];

export interface ClassifiedError {
  readonly is: ErrorClass;
  /** One word for the condition. */
  readonly reason: string;
}

export function classifyError(
  facts: ErrorFacts,
  rules: readonly ErrorRule[] = [],
): ClassifiedError {
  const rule = rules.find((each) => fits(each, facts));
  return { is: rule?.is ?? usualClass(facts.status), reason: reasonOf(facts) };
}

function fits({ status, code, contains }: ErrorRule, facts: ErrorFacts): boolean {
  if (status === undefined && code === undefined && contains === undefined) return false;
  return (
    (status === undefined || status === facts.status) &&
    (code === undefined || code === facts.code) &&
    (contains === undefined || facts.message.toLowerCase().includes(contains.toLowerCase()))
  );
}

function usualClass(status: number): ErrorClass {
  if (status === 404 || status === 410) return "absent";
  if (status === 409) return "exists";
  if (status === 412 || status === 423 || status === 425) return "busy";
  if (status === 408 || status === 429 || status >= 500) return "soon";
  return "slow";
}

/** The code of the service where it is one word, as people will look it up there. */
function reasonOf({ status, code }: ErrorFacts): string {
  if (/^[A-Za-z][A-Za-z0-9]{2,62}$/.test(code)) {
    return `${code.charAt(0).toUpperCase()}${code.slice(1)}`;
  }
  return reasons[status] ?? (status >= 500 ? "ServiceError" : "RequestRefused");
}

const reasons: Readonly<Record<number, string>> = {
  301: "Redirected",
  302: "Redirected",
  303: "Redirected",
  307: "Redirected",
  308: "Redirected",
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "RequestTimeout",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  415: "UnsupportedMediaType",
  422: "UnprocessableEntity",
  423: "Locked",
  429: "TooManyRequests",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};
