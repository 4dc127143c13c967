// Errors as clients of Kubernetes expect them: a v1 Status with code, reason, message, details.
// This is the only place where our error codes become HTTP status codes and reasons of Kubernetes.

import { isSetpointError } from "../../kernel/errors.ts";
import type { ErrorCode, SetpointError } from "../../kernel/errors.ts";
import { fieldErrorsOf } from "../../kernel/field-error.ts";
import { causeReason, fieldMessage } from "../../kernel/field-error-text.ts";
import { isJsonArray } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { shortText } from "../../kernel/short-text.ts";

export interface KubeError {
  readonly code: number;
  readonly status: JsonObject;
  readonly retryAfterSeconds: number | undefined;
}

type Mapping = readonly [code: number, reason: string];

const mappings: Readonly<Partial<Record<ErrorCode, Mapping>>> = {
  "request.invalid": [400, "BadRequest"],
  "request.unauthenticated": [401, "Unauthorized"],
  "request.forbidden": [403, "Forbidden"],
  "counter.exceeded": [403, "Forbidden"],
  "resource.not_found": [404, "NotFound"],
  "request.method_not_allowed": [405, "MethodNotAllowed"],
  "request.not_acceptable": [406, "NotAcceptable"],
  "request.body_timeout": [408, "Timeout"],
  "resource.already_exists": [409, "AlreadyExists"],
  "resource.conflict": [409, "Conflict"],
  "resource.not_owned": [409, "Conflict"],
  "resource.protected": [409, "Conflict"],
  "resource.group_refused": [409, "Conflict"],
  "name.taken": [409, "Conflict"],
  "apply.conflict": [409, "Conflict"],
  "history.gone": [410, "Expired"],
  "request.too_large": [413, "RequestEntityTooLarge"],
  "request.unsupported_media_type": [415, "UnsupportedMediaType"],
  "resource.invalid": [422, "Invalid"],
  "request.overloaded": [429, "TooManyRequests"],
  "store.overloaded": [429, "TooManyRequests"],
  "webhook.failed": [500, "InternalError"],
  "store.unavailable": [503, "ServiceUnavailable"],
  "store.read_only": [503, "ServiceUnavailable"],
  "store.not_primary": [503, "ServiceUnavailable"],
  "store.closed": [503, "ServiceUnavailable"],
  "store.outcome_unknown": [503, "ServiceUnavailable"],
  "request.timeout": [504, "Timeout"],
  "revision.future": [504, "Timeout"],
  "store.full": [507, "InsufficientStorage"],
};

/** Codes of modules have no entry above: the status in their catalogue decides. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Gone",
  422: "Invalid",
  429: "TooManyRequests",
  503: "ServiceUnavailable",
};

const internalError: Mapping = [500, "InternalError"];
const retried = new Set([429, 503, 507]);

/** Anything thrown becomes a Status; what is not ours tells the client nothing of its cause. */
export function kubeError(error: unknown): KubeError {
  if (!isSetpointError(error)) {
    const message = "Internal error occurred: the request could not be handled; see the server log";
    return {
      code: 500,
      status: statusOf(internalError, message, {}),
      retryAfterSeconds: undefined,
    };
  }
  const mapping = mappingOf(error);
  const { retryAfterSeconds } = error.details;
  const seconds = typeof retryAfterSeconds === "number" ? retryAfterSeconds : undefined;
  const wait = seconds ?? (retried.has(mapping[0]) ? 1 : undefined);
  const details =
    wait === undefined ? error.details : { ...error.details, retryAfterSeconds: wait };
  return {
    code: mapping[0],
    status: statusOf(mapping, error.message, details),
    retryAfterSeconds: wait,
  };
}

/** Webhooks choose code and reason themselves, within bounds. */
function mappingOf({ code, status, details }: SetpointError): Mapping {
  const { statusCode, statusReason } = details;
  const [defaultCode, defaultReason] = mappings[code] ?? byStatus(status);
  return [
    typeof statusCode === "number" ? statusCode : defaultCode,
    typeof statusReason === "string" ? statusReason : defaultReason,
  ];
}

function byStatus(status: number): Mapping {
  const reason = reasons[status];
  return reason === undefined ? internalError : [status, reason];
}

export function successStatus(details: JsonObject): JsonObject {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

const detailKeys = ["name", "group", "kind", "uid", "causes", "retryAfterSeconds"] as const;

function statusOf([code, reason]: Mapping, message: string, given: JsonObject): JsonObject {
  const details: MutableJsonObject = {};
  let hasDetails = given["hasDetails"] === true;
  for (const key of detailKeys) {
    // Who may not and what is missing are told of by the resource.
    const value = key === "causes" ? causesOf(given) : (given[key] ?? resourceOf(key, given));
    hasDetails ||= value !== undefined;
    if (value !== undefined && value !== "") details[key] = key === "causes" ? short(value) : value;
  }
  const token = given["continue"];
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: typeof token === "string" ? { continue: token } : {},
    status: "Failure",
    message: shortText(message, limits.maxShownMessageChars),
    ...(reason === "" ? {} : { reason }),
    ...(hasDetails ? { details } : {}),
    code,
  };
}

function resourceOf(key: string, given: JsonObject): Json | undefined {
  return key === "kind" ? given["resource"] : undefined;
}

/** Field errors in the words of Kubernetes; others have their causes in them already. */
function causesOf(given: JsonObject): Json | undefined {
  if (given["fields"] === undefined) return given["causes"];
  return fieldErrorsOf(given).map((error) => ({
    reason: causeReason(error.kind),
    message: fieldMessage(error),
    field: error.path,
  }));
}

/** What is wrong with a value quotes it, however large it is. */
function short(causes: Json): Json {
  if (!isJsonArray(causes)) return causes;
  return causes.map((cause) => {
    const message = textAt(cause, "message");
    if (message.length <= limits.maxShownProblemChars) return cause;
    return { ...(cause as JsonObject), message: shortText(message, limits.maxShownProblemChars) };
  });
}
