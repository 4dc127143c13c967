// What is wrong with the parts of a request, by field. A surface words it for its clients:
// problem.ts does so for the REST API.

import { SetpointError } from "../../kernel/errors.ts";
import { fieldErrorsOf } from "../../kernel/field-error.ts";
import type { FieldError, FieldErrorKind } from "../../kernel/field-error.ts";
import { refusedWords } from "../../kernel/field-error-words.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { shortText } from "../../kernel/short-text.ts";

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

/** One or several parts of a request that are not valid. */
export function invalidRequest(
  errors: readonly FieldProblem[],
  suggestion?: string,
): SetpointError {
  const message = summaryOf(errors);
  const shown = errors.slice(0, limits.maxShownErrors);
  return new SetpointError("request.invalid", message, {
    details: { errors: shown.map(fieldJson) },
    suggestion,
  });
}

/** One line about all of them. */
export function summaryOf(errors: readonly FieldProblem[]): string {
  const [first] = errors;
  if (errors.length !== 1 || first === undefined) {
    return `${errors.length} parts of the request are not valid`;
  }
  return `${first.field}: ${first.detail}`;
}

export function fieldJson({ field, kind = "invalid", detail }: FieldProblem): JsonObject {
  return { field, kind, detail: shortText(detail, limits.maxShownProblemChars) };
}

/** The problems that the details of an error hold: of a request, a document or a policy. */
export function fieldProblemsIn(details: JsonObject): readonly FieldProblem[] {
  const own = objectsAt(details, "errors") as unknown as readonly FieldProblem[];
  const fields = fieldErrorsOf(details).map((error) => fieldProblem(error));
  // Conflicts and refusals of policies have causes without a kind.
  const causes = objectsAt(details, "causes").map((cause) => ({
    field: textAt(cause, "field"),
    detail: textAt(cause, "message"),
  }));
  return [...own, ...fields, ...causes].slice(0, limits.maxShownErrors);
}
