// What the guards of this module ask about a request.

import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import { isServerItself } from "../../../intents/bootstrap.ts";
import { invalid } from "../../../intents/refusals.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson, getOwn } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";

/** A creation or an update of the resource itself. */
export function isWriteOf({ target, operation }: AdmissionRequest, kind: string): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && target.served.id === kind && target.subresource === "";
}

export function isDeletionOf({ target, operation }: AdmissionRequest, kind: string): boolean {
  return operation === "DELETE" && target.served.id === kind && target.subresource === "";
}

/** Reconcilers of this server, and the server itself; not a target that it writes as another. */
export function isServer({ caller }: Pick<AdmissionRequest, "caller">): boolean {
  return isServerItself(caller);
}

export function refuse({ target }: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
}

/** Whether one of these fields of the spec is new or has another value. */
export function hasChanged(
  { object, old }: Pick<AdmissionRequest, "object" | "old">,
  fields: readonly string[],
): boolean {
  if (object === undefined) return false;
  if (old === undefined) return true;
  const now = objectAt(object, "spec");
  const before = objectAt(old, "spec");
  return fields.some((field) => !equalJson(getOwn(now, field), getOwn(before, field)));
}

/** Undefined removes the annotation. */
export function withAnnotation(
  resource: Resource,
  name: string,
  value: string | undefined,
): Resource {
  const { annotations = {} } = resource.metadata;
  if (annotations[name] === value) return resource;
  const others = withoutKey(annotations, name) as Readonly<Record<string, string>>;
  const changed = value === undefined ? others : { ...others, [name]: value };
  return { ...resource, metadata: { ...resource.metadata, annotations: changed } };
}
