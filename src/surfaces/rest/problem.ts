// Errors as problem details (RFC 9457). `code` is stable and `detail` is for people. `field` and
// `errors` name what to correct, `suggestion` says how, and `traceId` finds the request in the
// log. The cause of an error stays in the log.

import { SetpointError, entryOf, isSetpointError } from "../../kernel/errors.ts";
import { fieldErrorsOf } from "../../kernel/field-error.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { Headers } from "../http/exchange.ts";
import { fieldJson, fieldProblem, fieldProblemsIn, summaryOf } from "./field-problem.ts";
import type { WordedError } from "./worded-error.ts";

export const problemType = "application/problem+json";

export function problemOf(error: unknown, traceId: string): WordedError {
  const known = isSetpointError(error) ? error : unexpected(error);
  const { code, status, details, suggestion } = known;
  const { summary, action } = entryOf(code);
  const errors = fieldProblemsIn(details);
  const field = textAt(details, "field") || (errors[0]?.field ?? "");
  const document = {
    type: `/api/v1/doc#${code}`,
    title: summary,
    status,
    detail: detailOf(known).slice(0, limits.maxShownMessageChars),
    code,
    ...(field === "" ? {} : { field }),
    suggestion: suggestion ?? action,
    traceId,
    ...(errors.length === 0 ? {} : { errors: errors.map(fieldJson) }),
  };
  return { status, contentType: problemType, headers: headersOf(known), document };
}

/** The message of a 401 is fixed by Kubernetes and says nothing, so the reason is added. */
function detailOf({ code, message, details }: SetpointError): string {
  const fields = fieldErrorsOf(details).map((error) => fieldProblem(error));
  if (fields.length > 0) return summaryOf(fields);
  const reason = code === "request.unauthenticated" ? textAt(details, "reason") : "";
  return reason === "" ? message : `${message}: ${reason}`;
}

function headersOf({ code, details }: SetpointError): Headers {
  const seconds = numberAt(details, "retryAfterSeconds") ?? (isBusy(code) ? 1 : undefined);
  const allow = textAt(details, "allow");
  return {
    ...(seconds === undefined ? {} : { "retry-after": seconds }),
    ...(allow === "" ? {} : { allow }),
  };
}

function isBusy(code: string): boolean {
  return code.endsWith(".overloaded") || code === "store.unavailable";
}

function unexpected(cause: unknown): SetpointError {
  const message = "unexpected error; see the log of the server";
  return new SetpointError("internal", message, { cause });
}
