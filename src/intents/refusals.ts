// Why a request is refused, in the words of the Kubernetes API. Clients match on code, reason,
// message and details, so each refusal is made here and nowhere else; a surface only translates
// it to its own envelope. `details` may hold name, group, kind, uid, causes, retryAfterSeconds and
// fields, the field errors.

import { annotations } from "../kernel/annotations.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import { fieldErrorText, formatFieldErrors } from "../kernel/field-error-text.ts";
import type { FieldError } from "../kernel/field-error.ts";
import { withoutHiddenValues } from "../kernel/hidden-values.ts";
import type { Hiding } from "../kernel/hidden-values.ts";
import type { JsonObject } from "../kernel/json.ts";
import { limits } from "../kernel/limits.ts";
import type { Kind } from "../kernel/kind.ts";
import { kindId } from "../kernel/kind.ts";

type Named = Pick<Kind, "group" | "names">;

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export function badRequest(message: string, cause?: unknown): SetpointError {
  return new SetpointError("request.invalid", message, { cause });
}

export function notFound(kind: Named, name: string): SetpointError {
  return refusal("resource.not_found", `${kindId(kind)} "${name}" not found`, kind, name);
}

export function alreadyExists(kind: Named, name: string, isLeaving = false): SetpointError {
  const prefix = isLeaving ? "object is being deleted: " : "";
  const message = `${prefix}${kindId(kind)} "${name}" already exists`;
  return refusal("resource.already_exists", message, kind, name);
}

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

export function conflict(kind: Named, name: string, why: string = modified): SetpointError {
  const message = `Operation cannot be fulfilled on ${kindId(kind)} "${name}": ${why}`;
  return refusal("resource.conflict", message, kind, name);
}

/** Somebody marked the resource as not to be deleted; the message says how to take that back. */
export function protectedFromDeletion(
  kind: Named,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): SetpointError {
  const id = kindId(kind);
  const where = namespace === "" ? "" : ` --namespace ${namespace}`;
  const message =
    `Operation cannot be fulfilled on ${id} "${name}": it is protected from deletion by the ` +
    `annotation ${annotations.protected}; to allow its deletion: ` +
    `kubectl annotate ${id} ${name}${where} ${annotations.protected}-`;
  return refusal("resource.protected", message, kind, name);
}

export function forbidden(
  kind: Named,
  name: string,
  why: string,
  causes?: readonly Cause[],
): SetpointError {
  const extra = causes === undefined ? {} : { causes: causes.map(causeJson) };
  return refusal("request.forbidden", forbiddenText(kind, name, why), kind, name, extra);
}

/** In the words of Kubernetes, to which a full quota is forbidden; others may tell it apart. */
export function overQuota(kind: Named, name: string, why: string): SetpointError {
  return refusal("counter.exceeded", forbiddenText(kind, name, why), kind, name);
}

function forbiddenText(kind: Named, name: string, why: string): string {
  const subject = name === "" ? kindId(kind) : `${kindId(kind)} "${name}"`;
  return `${subject} is forbidden: ${why}`;
}

/**
 * The document breaks rules of its kind; here alone `kind` is the Kind and not the plural. No value
 * of a hidden field of the kind is in the error.
 */
export function invalid(
  kind: Hiding & { readonly group: string; readonly names: Pick<Kind["names"], "kind"> },
  name: string,
  all: readonly FieldError[],
): SetpointError {
  const fields = shownErrors(withoutHiddenValues(kind, all));
  const group = kind.group === "" ? "" : `.${kind.group}`;
  const message = `${kind.names.kind}${group} "${name}" is invalid: ${formatFieldErrors(fields)}`;
  return new SetpointError("resource.invalid", message, {
    details: { ...nameOf(name), ...groupOf(kind.group), kind: kind.names.kind, fields },
  });
}

/** Query options are documents of their own: `CreateOptions.meta.k8s.io "" is invalid: ...`. */
export function invalidOptions(options: string, errors: readonly FieldError[]): SetpointError {
  return invalid({ group: "meta.k8s.io", names: { kind: options } }, "", errors);
}

export function tooLarge(limit: number): SetpointError {
  return new SetpointError("request.too_large", `Request entity too large: limit is ${limit}`);
}

export function expired(message: string, continueToken?: string): SetpointError {
  const details = continueToken === undefined ? {} : { continue: continueToken };
  return new SetpointError("history.gone", message, { details });
}

export function revisionTooLarge(asked: number, current: number): SetpointError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" };
  return new SetpointError("revision.future", message, {
    details: { causes: [cause], retryAfterSeconds: 1 },
  });
}

export function methodNotAllowed(
  kind: Named | undefined,
  message = "the server does not allow this method on the requested resource",
): SetpointError {
  const details = kind === undefined ? {} : { ...groupOf(kind.group), kind: kind.names.plural };
  return new SetpointError("request.method_not_allowed", message, { details });
}

/** A verb that the resource does not have, in the words for kinds of definitions. */
export function unsupportedVerb(kind: Named, verb: string): SetpointError {
  return methodNotAllowed(kind, `${verb} is not supported on resources of kind "${kindId(kind)}"`);
}

/** Kubernetes has no better code for some refusals than 500, and gives no reason. */
export function unexplained(message: string, cause?: unknown): SetpointError {
  const details = { statusCode: 500, statusReason: "" };
  return new SetpointError("request.invalid", message, { cause, details });
}

/** A patch that was understood but does not fit the document. */
export function rejectedPatch(cause: unknown): SetpointError {
  const message = "the server rejected our request due to an error in our request";
  return new SetpointError("resource.invalid", message, { cause, details: { hasDetails: true } });
}

export function causeJson({ reason, message, field }: Cause): JsonObject {
  return { reason, message, ...(field === undefined ? {} : { field }) };
}

/** The first errors, and how many more there are: an answer may not grow with what is wrong. */
function shownErrors(errors: readonly FieldError[]): readonly FieldError[] {
  let chars = 0;
  let shown = 0;
  for (const error of errors) {
    chars += fieldErrorText(error).length;
    const isFull = shown === limits.maxShownErrors || chars > limits.maxShownErrorChars;
    if (isFull && shown > 0) break;
    shown += 1;
  }
  if (shown === errors.length) return errors;
  const detail = `${errors.length - shown} more errors are not shown`;
  const more = { kind: "too-many", path: "<nil>", value: errors.length, detail } as const;
  return [...errors.slice(0, shown), more];
}

function refusal(
  code: ErrorCode,
  message: string,
  kind: Named,
  name: string,
  extra: JsonObject = {},
): SetpointError {
  return new SetpointError(code, message, {
    details: { ...nameOf(name), ...groupOf(kind.group), kind: kind.names.plural, ...extra },
  });
}

function nameOf(name: string): JsonObject {
  return name === "" ? {} : { name };
}

function groupOf(group: string): JsonObject {
  return group === "" ? {} : { group };
}
