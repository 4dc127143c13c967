// Carries an Operation on: one run of the reconciler does what can be done now. Everything that was
// done is in the resources, so a run that stops anywhere is continued by the next one.

import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { hasObject, numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { applyInstances, requestOfMembers } from "../environment/apply-deployment.ts";
import type { Changes } from "../environment/apply-deployment.ts";
import { errorText, instancesOf, secretsFrom } from "../environment/apply-deployment.ts";
import { failuresOf, isBusy, isRemovalBlocked } from "../environment/members.ts";
import type { Member } from "../environment/members.ts";
import { changeEnvironment, membersOf } from "../environment/run.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import { withAnnotation } from "../admission/writes.ts";
import { cancelAnnotation, forceCancelAnnotation, replaceAnnotation } from "../names.ts";
import { requestedByAnnotation, runAnnotation } from "../names.ts";
import { writeGroups } from "../environment/groups.ts";
import { waitingForExternal } from "../resource/states.ts";
import { beginAfterDeploy } from "./action-points.ts";
import { performAction } from "./action.ts";
import { deploymentIn } from "./choose.ts";
import { performDrift } from "./drift.ts";
import { hasEnded } from "./operation.ts";
import { endOperation, operationsOf, patchOperation } from "./records.ts";
import type { OperationRecord, Performed } from "./records.ts";
import { selectedBy } from "./selection.ts";

export async function performOperation(
  run: EnvironmentRun,
  operation: OperationRecord,
  members: readonly Member[],
): Promise<Performed> {
  switch (operation.type) {
    case "Deploy":
      return await deploy(run, operation, members);
    case "Retry":
      return await retry(run, operation, members);
    case "Rollback":
      return { operation: await rollback(run, operation), members };
    case "Action":
      return { operation: await performAction(run, operation), members };
    case "CheckDrift":
    case "ReconcileDrift":
      return await performDrift(run, operation, members);
    default:
      // A Destroy that is found here belongs to an Environment that is wanted again.
      return { operation: await endOperation(run, operation, "Superseded"), members };
  }
}

async function deploy(
  run: EnvironmentRun,
  given: OperationRecord,
  before: readonly Member[],
): Promise<Performed> {
  const { resource, context, ports } = run;
  if (textAt(given.spec, "cancel") !== "") return await cancel(run, given, before);
  let operation = given;
  let members = before;
  const isReturning = textAt(operation.status, "reason") === waitingForRemoval;
  if (isReturning || !hasObject(operation.status, "changes")) {
    const deployment = deploymentIn(operation);
    const expansion = await instancesOf(
      resource,
      deployment,
      ports.templates,
      secretsFrom(context),
    );
    if (expansion.errors.length > 0) {
      const message = shortText(errorText(expansion.errors), 2_000);
      const fields = { reason: "InvalidDeployment", message };
      return { operation: await endOperation(run, operation, "Failed", fields), members };
    }
    const { changes, returning } = await applyInstances(context, expansion.instances, members);
    const unasked = returning.filter(({ resource: { metadata } }) => {
      return metadata.annotations?.[replaceAnnotation] === undefined;
    });
    await requestOfMembers(context, unasked, replaceAnnotation, operation.name);
    members = await membersOf(run);
    const waiting = returning.length === 0 ? {} : removalOf(returning);
    const sum = sumOf(objectAt(operation.status, "changes"), changes);
    const fields = { reason: null, message: null, changes: sum, ...waiting };
    operation = await patchOperation(run, operation, fields);
    if (returning.length > 0) return { operation, members };
  }
  if (!isBusy(members)) {
    // Before the end of the Operation: a server that stops between the two repeats them.
    await writeGroups(run, members);
    if (members.every(({ state }) => state === "Ready")) await beginAfterDeploy(run, operation);
  }
  return { operation: await settle(run, operation, members), members };
}

const waitingForRemoval = "WaitingForRemoval";

function removalOf(returning: readonly Member[]): JsonObject {
  const [first] = returning;
  const more = returning.length > 1 ? ` and ${returning.length - 1} more` : "";
  const message = `waits until ${first?.name}${more} is removed, to create it again`;
  return { reason: waitingForRemoval, message };
}

function sumOf(before: JsonObject, changes: Changes): JsonObject {
  const of = (field: keyof Changes): number => (numberAt(before, field) ?? 0) + changes[field];
  return { added: of("added"), changed: of("changed"), removed: of("removed") };
}

/** Ends the Operation once nothing moves any more; reports progress until then. */
async function settle(
  run: EnvironmentRun,
  operation: OperationRecord,
  members: readonly Member[],
): Promise<OperationRecord> {
  const ready = members.filter(({ state }) => state === "Ready").length;
  const progress = { done: ready, of: members.length, message: `${ready} resources are ready` };
  if (isBusy(members)) return await patchOperation(run, operation, { progress });
  if (ready === members.length) {
    return await endOperation(run, operation, "Succeeded", { progress });
  }
  const failures = failuresOf(members);
  const [first] = failures;
  const message = `${textAt(first, "resource")}: ${textAt(first, "message")}`;
  const fields = { progress, failures, reason: "ResourceFailed", message };
  return await endOperation(run, operation, "Failed", fields);
}

/** Resources that have not begun do not begin; those that run are asked to stop. */
async function cancel(
  run: EnvironmentRun,
  operation: OperationRecord,
  members: readonly Member[],
): Promise<Performed> {
  const { name } = operation;
  const isForced = textAt(operation.spec, "cancel") === "Force";
  const annotation = isForced ? forceCancelAnnotation : cancelAnnotation;
  const open = members.filter(({ state, isDeleting }) => state !== "Ready" && !isDeleting);
  const unasked = open.filter(({ resource }) => {
    return resource.metadata.annotations?.[annotation] !== name;
  });
  if (unasked.length > 0) {
    await requestOfMembers(run.context, unasked, annotation, name);
    return { operation, members: await membersOf(run) };
  }
  const isBlocked = isRemovalBlocked(members);
  const ready = new Set(members.filter(({ state }) => state === "Ready").map((each) => each.name));
  const isMoving = members.some(({ state, reason, isObserved, isDeleting, ...member }) => {
    if (isDeleting) return !isBlocked;
    if (state !== "Waiting") return !isObserved || state === "Deploying";
    // A resource that was deployed before may wait without end: for what was cancelled, or for an
    // ExternalResource.
    const { status } = member.resource;
    if (textAt(status, "reconcile", "handledRequest") !== name) return true;
    const isStarting = member.dependsOn.every((each) => ready.has(each));
    return isStarting && reason !== waitingForExternal;
  });
  if (isMoving) return { operation, members };
  const message = isForced ? "cancelled by force" : "cancelled";
  // Resources that were to be created again are missing: they are not deployed.
  const isPartly = textAt(operation.status, "reason") === waitingForRemoval;
  const fields = {
    reason: "Cancelled",
    message,
    failures: failuresOf(members),
    ...(isPartly ? { changes: null } : {}),
  };
  const ended = await endOperation(run, operation, "Cancelled", fields);
  return { operation: ended, members };
}

/** Runs unfinished resources again, or a resource with everything that depends on it. */
async function retry(
  run: EnvironmentRun,
  operation: OperationRecord,
  before: readonly Member[],
): Promise<Performed> {
  if (textAt(operation.spec, "cancel") !== "") return await cancel(run, operation, before);
  const { name } = operation;
  let members = before;
  let selected: readonly Member[] = members.filter(({ resource }) => runOf(resource) === name);
  if (!hasObject(operation.status, "changes")) {
    selected = selectedBy(textAt(operation.spec, "resource"), members);
    const unasked = selected.filter(({ resource }) => runOf(resource) !== name);
    await requestOfMembers(run.context, unasked, runAnnotation, name);
    const changes = { added: 0, changed: selected.length, removed: 0 };
    await patchOperation(run, operation, { changes });
    members = await membersOf(run);
    selected = members.filter(({ resource }) => runOf(resource) === name);
  }
  const isPending = ({ state, run: ran }: Member): boolean =>
    ran !== name && (state === "Ready" || state === "Failed" || state === "Cancelled");
  const newest = (await operationsOf(run)).find((each) => each.name === name) ?? operation;
  if (selected.some(isPending) || hasEnded(newest.phase)) return { operation: newest, members };
  return { operation: await settle(run, newest, members), members };
}

function runOf({ metadata }: Member["resource"]): string {
  return metadata.annotations?.[runAnnotation] ?? "";
}

/** Restores the deployment of an earlier Operation in the spec; a Deploy carries it out. */
async function rollback(run: EnvironmentRun, operation: OperationRecord): Promise<OperationRecord> {
  const to = textAt(operation.spec, "to");
  const found = (await operationsOf(run)).find(({ name }) => name === to);
  if (found === undefined || !hasObject(found.spec, "deployment")) {
    const fields = { reason: "NotFound", message: `there is no deployment of the Operation ${to}` };
    return await endOperation(run, operation, "Failed", fields);
  }
  const { templates, parameters, secretParameters } = deploymentIn(found);
  const requester = textAt(operation.spec, "requestedBy");
  const restored = { templates, parameters, secretParameters } as JsonObject;
  const spec = objectAt(run.resource, "spec");
  if (!equalJson({ ...spec, ...restored }, spec)) {
    await changeEnvironment(run, (old) => {
      const changed = { ...old, spec: { ...objectAt(old, "spec"), ...restored } };
      return withAnnotation(changed, requestedByAnnotation, requester);
    });
  }
  return await endOperation(run, operation, "Succeeded", { message: `restored ${to}` });
}
