// Admission looks at writes of the spec only: a write of labels or of the status must stay possible
// after a shared resource has changed.

import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import { invalid } from "../../../intents/refusals.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";

export function isSpecWritten({ target, operation, object, old }: AdmissionRequest): boolean {
  if (target.subresource !== "" || object === undefined) return false;
  if (operation !== "CREATE" && operation !== "UPDATE") return false;
  return old === undefined || !equalJson(old.spec, object.spec);
}

export function refuseFields({ target }: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
}
