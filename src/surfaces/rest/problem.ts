// Errors as problem details (RFC 9457). `code` is stable and `detail` is for people. `field` and
// `errors` name what to correct, `suggestion` says how, and `traceId` finds the request in the
// log. The cause of an error stays in the log.

import { catalogue } from "../../kernel/errors.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { fieldErrorsOf } from "../../kernel/field-error.ts";
import type { FieldError, FieldErrorKind } from "../../kernel/field-error.ts";
import { refusedWords } from "../../kernel/field-error-words.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { shortText } from "../../kernel/short-text.ts";
import type { Headers } from "../http/exchange.ts";

export const problemType = "application/problem+json";

export interface Problem {
  readonly status: number;
  readonly headers: Headers;
  readonly document: JsonObject;
}

export interface FieldProblem {
  /** As in "body.to", "query.limit", "spec.replicas". */
  readonly field: string;
  /** "invalid" when it is left out. */
  readonly kind?: FieldErrorKind;
  readonly detail: string;
}

/** `prefix` is the part of the request: "body." or "query.". */
export function fieldProblem(error: FieldError, prefix = ""): FieldProblem {
  const isWhole = error.path === "<nil>" || error.path === "";
  const field = isWhole ? prefix.replace(/\.$/, "") || "body" : `${prefix}${error.path}`;
  return { field, kind: error.kind, detail: refusedWords(error) };
}

export function problemOf(error: unknown, traceId: string): Problem {
  const known = isSetpointError(error) ? error : unexpected(error);
  const { code, status, details, suggestion } = known;
  const { summary, action } = catalogue[code];
  const errors = fieldProblems(details);
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
  return { status, headers: headersOf(known), document };
}

/** The message of a 401 is fixed by Kubernetes and says nothing, so the reason is added. */
function detailOf({ code, message, details }: SetpointError): string {
  const fields = fieldErrorsOf(details).map((error) => fieldProblem(error));
  if (fields.length > 0) return summaryOf(fields);
  const reason = code === "request.unauthenticated" ? textAt(details, "reason") : "";
  return reason === "" ? message : `${message}: ${reason}`;
}

/** One or several parts of a request that are not valid. */
export function invalidRequest(errors: readonly FieldProblem[], suggestion?: string): Error {
  const message = summaryOf(errors);
  const shown = errors.slice(0, limits.maxShownErrors);
  return new SetpointError("request.invalid", message, {
    details: { errors: shown.map(fieldJson) },
    suggestion,
  });
}

function summaryOf(errors: readonly FieldProblem[]): string {
  const [first] = errors;
  if (errors.length !== 1 || first === undefined) {
    return `${errors.length} parts of the request are not valid`;
  }
  return `${first.field}: ${first.detail}`;
}

function fieldJson({ field, kind = "invalid", detail }: FieldProblem): JsonObject {
  return { field, kind, detail: shortText(detail, limits.maxShownProblemChars) };
}

function fieldProblems(details: JsonObject): readonly FieldProblem[] {
  const own = objectsAt(details, "errors") as unknown as readonly FieldProblem[];
  const fields = fieldErrorsOf(details).map((error) => fieldProblem(error));
  // Conflicts and refusals of policies have causes without a kind.
  const causes = objectsAt(details, "causes").map((cause) => ({
    field: textAt(cause, "field"),
    detail: textAt(cause, "message"),
  }));
  return [...own, ...fields, ...causes].slice(0, limits.maxShownErrors);
}

function headersOf({ code, details }: SetpointError): Headers {
  const seconds = numberAt(details, "retryAfterSeconds") ?? (isBusy(code) ? 1 : undefined);
  const allow = textAt(details, "allow");
  return {
    "content-type": problemType,
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
