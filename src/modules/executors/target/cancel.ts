// Cancellation of a target that has not finished. A cancellation holds for the generation that it
// stopped: a later change of the spec runs, also while the annotation is present. Pure.

import { failed } from "../../../engine/outcome.ts";
import type { Failed } from "../../../engine/outcome.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { cancelAnnotation, forceCancelAnnotation } from "./annotations.ts";

/** Undefined unless the run has to end. Only for a resource that is not as its spec wants. */
export function cancellation(resource: Resource): Failed | undefined {
  const { annotations = {}, generation } = resource.metadata;
  const given = annotations[forceCancelAnnotation] ?? annotations[cancelAnnotation] ?? "";
  const operation = given.slice(0, 256);
  if (operation === "") return undefined;
  const isKnown = textAt(resource, "status", "cancelled", "operation") === operation;
  const stopped = numberAt(resource, "status", "cancelled", "generation");
  if (isKnown && stopped !== generation) return undefined;
  const message = `cancelled by the operation ${operation}; change the spec or request a run`;
  const status = { cancelled: { operation, generation } };
  return failed("Cancelled", message, { retry: "never", status });
}
