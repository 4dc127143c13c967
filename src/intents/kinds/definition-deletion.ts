// A definition goes after its documents. Asking to delete it marks it and adds the finalizer under
// which the documents are removed; the condition tells how far that is.

import { setCondition } from "../../kernel/conditions.ts";
import type { ConditionInput } from "../../kernel/conditions.ts";
import { timeText } from "../../kernel/clock.ts";
import { getOwn } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textsAt } from "../../kernel/json-read.ts";
import { conditionsOf, statusOf } from "./definition-parts.ts";

/** The reason of the condition Terminating while documents may not be deleted. */
export const failedReason = "InstanceDeletionFailed";
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** How far the removal of the documents is. */
export type DeletionStage =
  | { readonly kind: "pending" }
  | { readonly kind: "in-progress" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "completed" };

/** The definition as the first request to delete it leaves it. */
export function markedForDeletion<T extends JsonObject>(definition: T, nowMs: number): T {
  const metadata = objectAt(definition, "metadata");
  const finalizers = textsAt(metadata, "finalizers");
  const isHeld = finalizers.includes(cleanupFinalizer);
  return {
    ...definition,
    metadata: {
      ...metadata,
      deletionTimestamp: getOwn(metadata, "deletionTimestamp") ?? timeText(nowMs),
      finalizers: isHeld ? finalizers : [...finalizers, cleanupFinalizer],
    },
    status: terminatingStatus(definition, { kind: "pending" }, nowMs),
  };
}

export function terminatingStatus(
  definition: JsonObject,
  stage: DeletionStage,
  nowMs: number,
): JsonObject {
  const conditions = setCondition(conditionsOf(definition), terminatingCondition(stage), nowMs);
  return { ...statusOf(definition), conditions };
}

function terminatingCondition(stage: DeletionStage): ConditionInput {
  const [reason, text] = words[stage.kind];
  return {
    type: "Terminating",
    status: stage.kind === "completed" ? "False" : "True",
    reason,
    message: stage.kind === "failed" ? stage.message : text,
  };
}

const words: Readonly<Record<DeletionStage["kind"], readonly [string, string]>> = {
  pending: [
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  ],
  "in-progress": ["InstanceDeletionInProgress", "CustomResource deletion is in progress"],
  failed: [failedReason, ""],
  completed: ["InstanceDeletionCompleted", "removed all instances"],
};
