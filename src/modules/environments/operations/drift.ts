// Drift checks and repairs: the targets that can compare themselves with their external systems are
// asked by an annotation, and answer in their status.

import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { requestOfMembers } from "../environment/apply-deployment.ts";
import { memberOf } from "../environment/members.ts";
import type { Member } from "../environment/members.ts";
import { membersOf } from "../environment/run.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import { environmentLimits } from "../limits.ts";
import { checkDriftAnnotation, reconcileDriftAnnotation } from "../names.ts";
import { endOperation, patchOperation } from "./records.ts";
import type { OperationRecord, Performed } from "./records.ts";
import { selectedBy } from "./selection.ts";

export async function performDrift(
  run: EnvironmentRun,
  operation: OperationRecord,
  members: readonly Member[],
): Promise<Performed> {
  if (textAt(operation.spec, "cancel") !== "") {
    const cancelled = { reason: "Cancelled", message: "cancelled" };
    return { operation: await endOperation(run, operation, "Cancelled", cancelled), members };
  }
  const isRepair = operation.type === "ReconcileDrift";
  const annotation = isRepair ? reconcileDriftAnnotation : checkDriftAnnotation;
  const from = textAt(operation.spec, "resource");
  const able = members.filter(({ resource, isDeleting }) => !isDeleting && canDrift(run, resource));
  const asked = from === "" ? able : selectedBy(from, able);
  const unasked = asked.filter(({ resource }) => {
    return resource.metadata.annotations?.[annotation] !== operation.name;
  });
  if (unasked.length > 0) {
    await requestOfMembers(run.context, unasked, annotation, operation.name);
    return { operation, members: await membersOf(run), againMs: timeLeftMs(run, operation) };
  }
  const startedAt = textAt(operation.status, "startedAt");
  const answered = asked.filter(({ resource, state }) => {
    const checkedAt = textAt(resource.status, "drift", "checkedAt");
    return state === "Failed" || (checkedAt !== "" && checkedAt >= startedAt);
  });
  const drifted = asked.filter(({ resource }) => {
    return textAt(resource.status, "drift", "state") === "Drifted";
  }).length;
  const of = asked.length;
  const message = drifted === 1 ? "1 resource has drifted" : `${drifted} resources have drifted`;
  const progress = { done: answered.length, of, message };
  if (answered.length < of || (isRepair && drifted > 0 && answered.length === 0)) {
    const againMs = timeLeftMs(run, operation);
    if (againMs > 0) {
      return { operation: await patchOperation(run, operation, { progress }), members, againMs };
    }
    const silent = asked.filter((member) => !answered.includes(member)).map(({ name }) => name);
    const names = silent.slice(0, environmentLimits.maxNamed).join(", ");
    const fields = { progress, reason: "TimedOut", message: `no answer of ${names}` };
    return { operation: await endOperation(run, operation, "Failed", fields), members };
  }
  const fields = { progress, message };
  return { operation: await endOperation(run, operation, "Succeeded", fields), members };
}

/** A target that does not answer must not hold up the Environment without end. */
function timeLeftMs({ context }: EnvironmentRun, { status }: OperationRecord): number {
  const startedMs = Date.parse(textAt(status, "startedAt"));
  const endMs = startedMs + environmentLimits.driftTimeoutSeconds * 1_000;
  return Math.max(0, endMs - context.clock.nowMs());
}

/** The schema of the target has a place for drift. */
function canDrift({ intents }: EnvironmentRun, resource: Resource): boolean {
  const { state } = memberOf(resource);
  const kind = textAt(resource.status, "target", "resource");
  const served = kind === "" ? undefined : intents.kinds.byId(kind);
  if (served === undefined || state === "Waiting") return false;
  const { schema } = served.storage.definition;
  return Object.hasOwn(objectAt(schema, "properties", "status", "properties"), "drift");
}
