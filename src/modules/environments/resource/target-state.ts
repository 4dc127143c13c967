// The state of a target, from its document: any kind, by its conditions or by an expression. Pure.

import type { Program } from "../../../kernel/cel/environment.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { isTrueNow, observedGeneration } from "../../../kernel/current-conditions.ts";
import { withinUnits } from "../../../kernel/inline-time.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";

export type TargetState =
  | { readonly kind: "ready" }
  | { readonly kind: "progressing"; readonly reason: string; readonly message: string }
  | { readonly kind: "failed"; readonly reason: string; readonly message: string }
  | { readonly kind: "cancelled"; readonly message: string };

export interface TargetInput {
  /** Without hidden fields. */
  readonly target: JsonObject;
  readonly readyWhen: Program | undefined;
  /** Whether a reconciler or a controller writes the status of the kind. */
  readonly hasStatus: boolean;
}

const cancelledReason = "Cancelled";

export function targetState({ target, readyWhen, hasStatus }: TargetInput): TargetState {
  const failure = failureOf(target);
  if (failure !== undefined) return failure;
  if (readyWhen !== undefined) return byExpression(target, readyWhen);
  if (!hasStatus || isTrueNow(target, "Ready")) return { kind: "ready" };
  const ready = conditionOf(target, "Ready");
  const progress = textAt(target, "status", "progress", "message");
  return {
    kind: "progressing",
    reason: textAt(ready, "reason") || "Deploying",
    message: progress || textAt(ready, "message") || "the target is not ready yet",
  };
}

/** The loop of the target failed for its present spec. */
function failureOf(target: JsonObject): TargetState | undefined {
  const synced = conditionOf(target, "Synced");
  if (textAt(synced, "status") !== "False") return undefined;
  const observed = observedGeneration(target, synced) ?? 0;
  if (observed < (numberAt(target["metadata"], "generation") ?? 0)) return undefined;
  const reason = textAt(synced, "reason") || "Failed";
  const message = textAt(synced, "message");
  if (reason === cancelledReason) return { kind: "cancelled", message };
  return { kind: "failed", reason, message };
}

function byExpression(target: JsonObject, readyWhen: Program): TargetState {
  const done = withinUnits(limits.maxTemplateUnits, () =>
    readyWhen.evaluate({ resource: dynamicValue(target) }, limits.maxCelCallCost),
  );
  if (done === undefined) {
    const message = "readyWhen needs too much work: make it simpler";
    return { kind: "failed", reason: "TemplateFailed", message };
  }
  const { result } = done;
  if (result.kind === "value" && result.value === true) return { kind: "ready" };
  // A field that does not exist yet is an error of the expression: it may come.
  const why = result.kind === "value" ? "readyWhen is not true yet" : result.message;
  return { kind: "progressing", reason: "Deploying", message: why };
}

function conditionOf(target: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(target["status"], "conditions").find((each) => textAt(each, "type") === type);
}

/** `status.progress` of the target, or the progress that the engine reports for it. */
export function progressOf(target: JsonObject): JsonObject | undefined {
  const status = objectAt(target, "status");
  const own = objectAt(status, "progress");
  const engine = objectAt(status, "reconcile", "progress");
  const found = numberAt(own, "of") === undefined ? engine : own;
  const of = numberAt(found, "of");
  if (of === undefined) return undefined;
  return { done: numberAt(found, "done") ?? 0, of, message: textAt(found, "message") };
}
