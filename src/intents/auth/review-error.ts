// What is wrong with a review. Kubernetes leaves the kind out of these messages, and clients that
// compare them expect it to be missing.

import { SetpointError } from "../../kernel/errors.ts";
import { formatFieldErrors } from "../../kernel/field-error-text.ts";
import type { FieldError } from "../../kernel/field-error.ts";

export function invalidReview(group: string, errors: readonly FieldError[]): SetpointError {
  const message = `.${group} "" is invalid: ${formatFieldErrors(errors)}`;
  return new SetpointError("resource.invalid", message, {
    details: { group, kind: "", name: "" },
  });
}
