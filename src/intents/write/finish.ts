// What creating, updating, patching and applying have in common once the wanted document is known:
// unknown fields, defaults, policies, validation. The order is that of Kubernetes: default, mutate,
// default again where a policy changed something, validate, then the validating policies.

import { appendAll } from "../../kernel/append.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { checkFieldRules } from "../../kernel/field-rules.ts";
import type { FieldViolation } from "../../kernel/field-rules.ts";
import { hiddenText, withoutHiddenValues } from "../../kernel/hidden-values.ts";
import { withinInlineTime } from "../../kernel/inline-time.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";
import { invalid } from "../refusals.ts";
import type { Admission } from "../admission/admission.ts";
import type { Intents, Target } from "../request.ts";
import { errorsByThread } from "./check-job.ts";
import { documentErrors } from "./document-errors.ts";
import type { CheckedDocument } from "./document-errors.ts";
import { tenantOfWrite } from "./write-pauses.ts";
import type { PausedWrite } from "./write-pauses.ts";

/**
 * Refuses a document that breaks a rule of its kind, with all its errors at once. What takes long
 * is done by a thread; undefined means that it was done at once.
 */
export function checkDocument(
  intents: Pick<Intents, "admission" | "heavy">,
  write: CheckedWrite,
  resource: Resource,
  old: Resource | undefined,
): Promise<void> | undefined {
  const { target } = write;
  const { served, version, subresource } = target;
  const document = { resource, old, subresource };
  const isHeavy = served.rules?.isHeavy?.(resource) === true;
  const found = isHeavy
    ? undefined
    : withinInlineTime(limits.inlineCheckMs, () =>
        documentErrors({ ...served, type: version.type }, document),
      );
  if (found !== undefined) {
    refuse(intents, target, document, found);
    return undefined;
  }
  const errors = errorsByThread(intents.heavy, target, document, tenantOfWrite(write));
  return errors.then((all) => refuse(intents, target, document, all));
}

export type CheckedWrite = Pick<PausedWrite, "caller"> & { readonly target: Target };

function refuse(
  { admission }: Pick<Intents, "admission">,
  target: Target,
  { resource, old }: CheckedDocument,
  errors: FieldError[],
): void {
  const { served } = target;
  if (served.kind.fieldRules.length > 0) {
    appendAll(errors, ruleErrors(admission, target, resource, old));
  }
  if (errors.length === 0) return;
  // Two kinds that show the same documents have their errors in the name of the stored one.
  const shown = withoutHiddenValues(served.kind, errors);
  throw invalid(served.storedKind, resource.metadata.name ?? target.name, shown);
}

/** A server writes status, so read-only fields there are only closed to the main endpoint. */
function ruleErrors(
  admission: Pick<Admission, "mayChange">,
  target: Target,
  object: Resource,
  old: Resource | undefined,
): readonly FieldError[] {
  const { served, subresource } = target;
  const violations = checkFieldRules(served.kind, old, object);
  const isExempt = ({ rule, path }: FieldViolation): boolean =>
    rule === "create-only" &&
    old !== undefined &&
    admission.mayChange({ target, object, old, path });
  return violations
    .filter(({ path }) => !(subresource === "status" && path.startsWith("/status")))
    .filter((violation) => !isExempt(violation))
    .map(ruleError);
}

function ruleError(violation: FieldViolation): FieldError {
  const { path, rule } = violation;
  const field = parsePointer(path).join(".");
  const why = rule === "read-only" ? "is read-only" : "cannot be changed after creation";
  const detailWith = (show: (value: Json | undefined) => string): string => {
    const was = "old" in violation ? show(violation.old) : "absent";
    const now = "new" in violation ? show(violation.new) : "absent";
    return `the field ${why}: old ${was}, new ${now}`;
  };
  return {
    ...invalidField(field, violation.new, detailWith(text)),
    ...(rule === "read-only" ? {} : { kind: "immutable" }),
    computed: { of: field, plain: detailWith(() => hiddenText) },
  };
}

function text(value: Json | undefined): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
