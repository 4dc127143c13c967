// The provisioningState of a resource, derived from what its reconciler reports: it cannot be told
// before it is true, and what was changed by other means than this surface shows at once. Pure.

import { findCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { timeText } from "../../../kernel/clock.ts";
import { nestedFinalizer } from "../../../kernel/engine-finalizers.ts";
import { annotations } from "../../../kernel/annotations.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ArmEnvelope } from "../face.ts";

export type ProvisioningState = "Creating" | "Updating" | "Deleting" | "Succeeded" | "Failed";

export interface Provisioning {
  readonly state: ProvisioningState;
  /** Why it failed; also of the last try, where that failed and will be repeated. */
  readonly error: ProvisioningError | undefined;
  /** When it came to an end. */
  readonly endedAt: string | undefined;
  /** 0 to 100, where the reconciler tells. */
  readonly percent: number | undefined;
}

export interface ProvisioningError {
  readonly code: string;
  readonly message: string;
}

export interface ProvisioningFacts {
  readonly envelope: ArmEnvelope;
  /** Whether anybody works on the kind; otherwise what is stored is all there is. */
  readonly isReconciled: boolean;
  readonly nowMs: number;
  /** What is under way for longer has failed. */
  readonly timeoutMs: number;
}

export function provisioningOf(resource: Resource, facts: ProvisioningFacts): Provisioning {
  const status = objectAt(resource, "status");
  const conditions = objectsAt(status, "conditions") as unknown as readonly Condition[];
  const synced = findCondition(conditions, "Synced");
  const { operation } = facts.envelope;
  const percent = percentOf(resource, operation.id);
  const isDeleting = resource.metadata.deletionTimestamp !== undefined;
  if (!isDeleting && !facts.isReconciled) {
    return { state: "Succeeded", error: undefined, endedAt: operation.startedAt, percent };
  }
  const isSeen = isObserved(resource, status);
  const error = synced && isOfNow(synced, isSeen) ? errorOf(synced) : undefined;
  const succeeded = objectAt(status, "reconcile", "succeeded");
  if (isSeen && !isDeleting) {
    // What came about once has come about: a later repair is not the operation over again.
    if (numberAt(succeeded, "generation") === resource.metadata.generation) {
      const since = latestOf(operation.startedAt, textAt(succeeded, "at"));
      return { state: "Succeeded", error: undefined, endedAt: since, percent };
    }
  }
  if (isSeen && synced?.status === "False" && isForGood(status, isDeleting)) {
    const endedAt = latest(operation.startedAt, findCondition(conditions, "Ready"), synced);
    return { state: "Failed", error, endedAt, percent };
  }
  const { failure } = operation;
  if (isDeleting && failure !== undefined && isAround(resource)) {
    return { state: "Failed", error: failure, endedAt: failure.at, percent };
  }
  const state = workingState(isDeleting, facts, succeeded);
  const working = { state, error, endedAt: undefined, percent };
  const { nowMs, timeoutMs } = facts;
  // It began with the request at the earliest, so nobody needs to know when while that is young.
  if (nowMs <= Date.parse(operation.startedAt) + timeoutMs) return working;
  const deadlineMs = Date.parse(beganAt(resource, facts)) + timeoutMs;
  if (!(nowMs > deadlineMs)) return working;
  const why = error ?? { code: "OperationTimedOut", message: lateText(resource) };
  return { state: "Failed", error: why, endedAt: timeText(deadlineMs), percent };
}

/** Whether its deletion waits for what is inside of it. */
function isAround({ metadata }: Resource): boolean {
  return metadata.finalizers?.includes(nestedFinalizer) === true;
}

function lateText(resource: Resource): string {
  const why = isAround(resource) ? ": its nested resources are not deleted" : "";
  return `The operation did not end in time${why}.`;
}

/** A removal is tried again whatever it says: that it has no hope is noted beside that. */
function isForGood(status: JsonObject, isDeleting: boolean): boolean {
  const reconcile = objectAt(status, "reconcile");
  return isDeleting ? isTrueAt(reconcile, "isFinal") : textAt(reconcile, "retry") === "never";
}

/** Not what is left of an earlier generation. That nothing is done is said of none. */
function isOfNow({ status, observedGeneration }: Condition, isSeen: boolean): boolean {
  return status === "False" && (isSeen || observedGeneration === undefined);
}

export function isTerminal(state: ProvisioningState): boolean {
  return state === "Succeeded" || state === "Failed";
}

/** Whether the newest intent, or the newest wish for a run, has been looked at. */
function isObserved({ metadata }: Resource, status: JsonObject): boolean {
  if (numberAt(status, "observedGeneration") !== metadata.generation) return false;
  const wish = metadata.annotations?.[annotations.request];
  return wish === undefined || textAt(status, "reconcile", "handledRequest") === wish;
}

/** Not what is left of an earlier generation, nor of what was there before a request for a run. */
function percentOf({ metadata, status }: Resource, operation: string): number | undefined {
  const progress = objectAt(status, "reconcile", "progress");
  if (numberAt(progress, "generation") !== metadata.generation) return undefined;
  const isAskedFor = metadata.annotations?.[annotations.request] === operation;
  if (isAskedFor && textAt(progress, "request") !== operation) return undefined;
  return numberAt(progress, "percent");
}

function workingState(
  isDeleting: boolean,
  { envelope }: ProvisioningFacts,
  succeeded: JsonObject,
): "Creating" | "Updating" | "Deleting" {
  if (isDeleting) return "Deleting";
  // What was ready once has been created, whoever changes it now, or asks for a run.
  const { verb, endedAt } = envelope.operation;
  const wasReady = numberAt(succeeded, "generation") !== undefined || endedAt !== undefined;
  return verb === "create" && !wasReady ? "Creating" : "Updating";
}

/** With the last request, or when somebody changed or deleted it by other means since then. */
function beganAt({ metadata }: Resource, { envelope }: ProvisioningFacts): string {
  const changes = objectsAt(metadata, "managedFields")
    .filter((entry) => textAt(entry, "subresource") === "")
    .map((entry) => textAt(entry, "time"));
  const { deletionTimestamp = "" } = metadata;
  return latestOf(envelope.operation.startedAt, deletionTimestamp, ...changes);
}

function latest(startedAt: string, ...conditions: readonly (Condition | undefined)[]): string {
  return latestOf(startedAt, ...conditions.map((condition) => condition?.lastTransitionTime ?? ""));
}

/** One form of time for all, in which the order of texts is that of times. */
function latestOf(startedAt: string, ...times: readonly string[]): string {
  return times.reduce((latestSoFar, time) => (time > latestSoFar ? time : latestSoFar), startedAt);
}

function errorOf({ reason, message }: Condition): ProvisioningError {
  const code = reason === "" ? "ProvisioningFailed" : reason;
  return { code, message: message === "" ? "The operation failed." : message };
}
