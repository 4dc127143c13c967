// Errors as fleet managers word them: a number of their catalogue, and a reason. The cause of an
// error stays in the log. The status is that of the number, except that a server that cannot
// answer at present says so.

import {
  fleetErrorNumber,
  fleetErrorObject,
  fleetErrors,
} from "../../modules/fleet/api/error-catalogue.ts";
import type { FleetErrorNumber } from "../../modules/fleet/api/error-catalogue.ts";
import type { Offering } from "../../modules/fleet/offering.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { challengeHeaders } from "../http/identify.ts";
import { fieldProblemsIn } from "../rest/field-problem.ts";
import type { FieldProblem } from "../rest/field-problem.ts";
import type { WordedError } from "../rest/worded-error.ts";

const numbers: Partial<Record<ErrorCode, FleetErrorNumber>> = {
  "fleet.terms_not_accepted": 12,
  "fleet.denied": 4,
  "fleet.maintenance": 18,
  "fleet.quota_exceeded": 5,
  "fleet.quota_insufficient": 120,
  "fleet.quota_unavailable": 121,
  "fleet.capacity_reached": 24,
  "fleet.type_disabled": 4,
  "fleet.namespace_taken": 6,
  "fleet.name_taken": 36,
  "fleet.name_invalid": 32,
  "fleet.name_too_long": 34,
  "fleet.provider_unknown": 30,
  "fleet.region_unknown": 31,
  "fleet.type_unavailable": 41,
  "fleet.multi_az_required": 35,
  "fleet.owner_invalid": 21,
  "fleet.async_required": 103,
  "fleet.search_invalid": 23,
  "fleet.body_invalid": 17,
  "fleet.validation": 8,
  "fleet.field": 37,
  "fleet.not_found": 7,
  "fleet.not_owner": 11,
  "fleet.restore_conflict": 36,
  "fleet.gone": 25,
  "fleet.metrics_unavailable": 9,
  "fleet.rate_limited": 429,
  "request.unauthenticated": 15,
  "request.forbidden": 4,
  "request.method_not_allowed": 10,
  "request.too_large": 17,
  "request.unsupported_media_type": 17,
  "request.body_timeout": 17,
  "request.overloaded": 429,
  "store.overloaded": 429,
  "route.not_found": 7,
  "resource.not_found": 7,
  "resource.invalid": 37,
  "resource.already_exists": 6,
  "resource.conflict": 6,
  "name.taken": 6,
  "counter.exceeded": 24,
  "history.gone": 25,
  "revision.future": 21,
};

export interface ErrorContext {
  readonly offering: Pick<Offering, "instances">;
  readonly operationId: string;
}

export function fleetErrorOf(error: unknown, { offering, operationId }: ErrorContext): WordedError {
  const known = isSetpointError(error) ? error : unexpected(error);
  const number = numberOf(known);
  const reason = reasonOf(known, number).slice(0, limits.maxShownMessageChars);
  const { status } = fleetErrors[number];
  return {
    status: status >= 500 ? known.status : status,
    contentType: "application/json",
    headers: { ...challengeHeaders(error), ...headersOf(known, number) },
    document: fleetErrorObject(offering, number, { reason, operationId }),
  };
}

function numberOf(error: SetpointError): FleetErrorNumber {
  if (error.code === "fleet.refused") return refusalNumber(error);
  if (error.code === "request.invalid") return numberOfParts(fieldProblemsIn(error.details));
  return numbers[error.code] ?? byStatus[error.status] ?? (error.status < 500 ? 8 : 9);
}

/** A route of a user module names the number itself. */
function refusalNumber({ details }: SetpointError): FleetErrorNumber {
  return fleetErrorNumber(String(numberAt(details, "number") ?? "")) ?? 8;
}

/** For codes without a number of their own. */
const byStatus: Readonly<Record<number, FleetErrorNumber>> = {
  401: 15,
  403: 4,
  404: 7,
  405: 10,
  409: 6,
  410: 25,
  429: 429,
};

/** A body that cannot be read, a field of it, or another part of the request. */
function numberOfParts(problems: readonly FieldProblem[]): FleetErrorNumber {
  const [first] = problems;
  if (first === undefined) return 21;
  if (first.field === "body") return 17;
  return first.field.startsWith("body.") ? 37 : 21;
}

function reasonOf(error: SetpointError, number: FleetErrorNumber): string {
  const { code, message, details } = error;
  const problems = fieldProblemsIn(details);
  if (problems.length > 0) return problems.map(shown).join("; ");
  if (code !== "request.unauthenticated") return wireText(message);
  const reason = textAt(details, "reason");
  return reason === "" ? fleetErrors[number].reason : `${fleetErrors[number].reason}: ${reason}`;
}

/** The names of parts as a client of the API knows them. */
function shown({ field, detail }: FieldProblem): string {
  return wireText(`${field}: ${detail}`);
}

/** A text that begins with a field of a document: "spec.multiAz: ..." is "multi_az: ...". */
function wireText(text: string): string {
  return text.replace(/^(?:body|query|spec|metadata)\.([\w.[\]-]+)/, (_whole, field: string) =>
    field.startsWith("parameters.") ? field : field.replaceAll(/[A-Z]/g, snake),
  );
}

function snake(letter: string): string {
  return `_${letter.toLowerCase()}`;
}

function headersOf(
  error: SetpointError,
  number: FleetErrorNumber,
): Record<string, string | number> {
  const { details, status } = error;
  const isBusy = number === 429 || status === 503;
  const seconds = numberAt(details, "retryAfterSeconds") ?? (isBusy ? 1 : undefined);
  const allow = textAt(details, "allow");
  return {
    ...(seconds === undefined ? {} : { "retry-after": seconds }),
    ...(allow === "" ? {} : { allow }),
  };
}

function unexpected(cause: unknown): SetpointError {
  const message = "unexpected error; see the log of the server";
  return new SetpointError("internal", message, { cause });
}
