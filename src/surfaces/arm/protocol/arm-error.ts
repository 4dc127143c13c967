// Refusals in the envelope of the Resource Manager: a code in one word, a message that is a
// sentence, where it is, and every single problem in the details. What the write path refuses in
// the words of Kubernetes is put into these; what authors of kinds and actions say is told as it
// is; what nobody expected tells nothing about itself.

import { refusalOf } from "../../../intents/auth/refusal.ts";
import { ArmActionRefused } from "../../../modules/resource-provider/faces/arm-face.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import { fieldErrorsOf } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import { numberAt } from "../../../kernel/json-read.ts";
import { plainWords, sentence } from "../../../kernel/field-error-words.ts";
import { shortError } from "./short-error.ts";

export interface ArmProblem {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ArmProblem[];
}

export interface ArmErrorAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

export function armRefusal(status: number, problem: ArmProblem): SetpointError {
  const code = codesByStatus[status] ?? "request.invalid";
  const details = { statusCode: status, arm: problemJson(problem) };
  return new SetpointError(code, problem.message, { details });
}

/** More than these help nobody, and would not fit into an answer. */
const maxProblems = 100;

/** One refusal for all that is wrong with a request; of very many problems it tells the first. */
export function armRefusals(problems: readonly ArmProblem[]): SetpointError {
  const [first, ...others] = problems;
  if (first === undefined) throw new Error("a refusal has a reason");
  const told = problems.slice(0, maxProblems);
  const details = told.map((problem) => ({ ...problem }));
  if (others.length === 0) return armRefusal(400, { ...first, details });
  const untold = problems.length - told.length;
  const more = untold === 0 ? "" : ` And ${untold} more.`;
  return armRefusal(400, {
    code: "MultipleErrorsOccurred",
    message: `Multiple errors occurred: ${told.map(({ message }) => message).join(" ")}${more}`,
    details,
  });
}

export function armErrorAnswer(error: unknown): ArmErrorAnswer {
  const { status, body } = wholeAnswer(error);
  return { status, body: shortError(body) };
}

function wholeAnswer(error: unknown): ArmErrorAnswer {
  if (error instanceof ArmActionRefused) {
    const { code, message, status } = error;
    return { status, body: { error: { code, message } } };
  }
  if (!isSetpointError(error) || error.code === "internal") return internal;
  const own = getOwn(error.details, "arm");
  const status = numberAt(error.details, "statusCode") ?? error.status;
  if (isJsonObject(own)) return { status, body: { error: own } };
  if (error.code === "resource.invalid") return invalidAnswer(error);
  const known = codesOfErrors[error.code];
  if (known === undefined && error.status >= 500) {
    return error.status === 500 ? internal : unavailable(error);
  }
  const code = known ?? "InvalidRequest";
  // Kubernetes answers 500 to some mistakes of clients, the Resource Manager does not.
  const shown = statusesHere[error.code] ?? (status === 500 ? 400 : status);
  const message = wordsHere[error.code] ?? refusalOfCredentials(error) ?? refusal(error.message);
  return { status: shown, body: { error: { code, message } } };
}

/** The words of the write path may begin with a name, and end with those of somebody else. */
function refusal(words: string): string {
  return /^[A-Z]/.test(words) ? words : `The request is refused: ${words}`;
}

/** Undefined for other errors, and when the reason is not known. */
function refusalOfCredentials(error: SetpointError): string | undefined {
  const refused = refusalOf(error);
  if (refused === undefined) return undefined;
  if (refused.fault === "no-credentials") return "The request has no credentials.";
  return sentence(`The credentials are not valid: ${refused.reason}`);
}

const internal: ArmErrorAnswer = {
  status: 500,
  body: { error: { code: "InternalServerError", message: "Internal server error." } },
};

function unavailable(error: SetpointError): ArmErrorAnswer {
  const code = error.status === 504 ? "GatewayTimeout" : "ServiceUnavailable";
  return { status: error.status, body: { error: { code, message: refusal(error.message) } } };
}

function invalidAnswer(error: SetpointError): ArmErrorAnswer {
  const causes = distinctProblems(fieldErrorsOf(error.details).map(fieldProblem));
  if (causes.length === 0) {
    const message = refusal(error.message);
    return { status: 400, body: { error: { code: "InvalidRequestContent", message } } };
  }
  return armErrorAnswer(armRefusals(causes));
}

/** One of the field errors of the write path, about a field as clients call it. */
export function fieldProblem(error: FieldError): ArmProblem {
  const target = clientField(error.path);
  const what = target === error.path ? "field" : "property";
  const text = `The ${what} '${target}' ${plainWords(error)}`;
  return { code: fieldCode(error), message: sentence(text), target };
}

/** The write path looks at some fields more than once. */
export function distinctProblems(problems: readonly ArmProblem[]): readonly ArmProblem[] {
  const seen = new Map(
    problems.map((problem) => [`${problem.target} ${problem.message}`, problem]),
  );
  return [...seen.values()];
}

/** What is stored as spec and status is seen as properties. */
function clientField(field: string): string {
  return field.replace(/^(spec|status)(?=$|[.[])/, "properties");
}

export function fieldCode({ kind, detail }: FieldError): string {
  switch (kind) {
    case "immutable":
      return "PropertyChangeNotAllowed";
    case "required":
      return "MissingRequiredProperty";
    case "unsupported":
      return "InvalidPropertyValue";
    default:
      // The usual words of authors whose rules compare a field with its old value.
      return detail.includes("is immutable") ? "PropertyChangeNotAllowed" : "InvalidParameter";
  }
}

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: "request.unauthenticated",
  403: "request.forbidden",
  404: "resource.not_found",
  405: "request.method_not_allowed",
  409: "resource.conflict",
  412: "resource.conflict",
  413: "request.too_large",
  415: "request.unsupported_media_type",
};

/** 403 is for callers who may not ask. */
const statusesHere: Readonly<Partial<Record<ErrorCode, number>>> = { "counter.exceeded": 409 };

/** What the store says is in words of its own. */
const wordsHere: Readonly<Partial<Record<ErrorCode, string>>> = {
  "name.taken": "Another resource was created at the same path at the same time.",
};

const codesOfErrors: Readonly<Partial<Record<ErrorCode, string>>> = {
  "request.invalid": "InvalidRequestContent",
  "request.too_large": "RequestContentTooLarge",
  "request.unauthenticated": "AuthenticationFailed",
  "request.forbidden": "AuthorizationFailed",
  "request.method_not_allowed": "MethodNotAllowed",
  "request.unsupported_media_type": "UnsupportedMediaType",
  "request.overloaded": "TooManyRequests",
  "request.body_timeout": "RequestTimeout",
  "resource.not_found": "ResourceNotFound",
  "resource.already_exists": "Conflict",
  "resource.conflict": "Conflict",
  "resource.protected": "ScopeLocked",
  "counter.exceeded": "QuotaExceeded",
  "name.taken": "Conflict",
  "store.overloaded": "TooManyRequests",
};

function problemJson({ code, message, target, details }: ArmProblem): JsonObject {
  const inner: Json = (details ?? []).map(problemJson);
  return {
    code,
    message,
    ...(target === undefined ? {} : { target }),
    ...(details === undefined ? {} : { details: inner }),
  };
}
