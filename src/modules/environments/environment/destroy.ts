// Destruction of an Environment: by `desired: Destroyed`, which keeps the Environment, or by its
// deletion, which leaves a DestroyedEnvironment. Both remove each resource after its dependants.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import { createResource } from "../../../intents/write/create.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { environmentLimits } from "../limits.ts";
import { destroyedAnnotation, environmentLabel, environmentsVersion } from "../names.ts";
import { groupsKind, requestedByAnnotation } from "../names.ts";
import { performBeforeDestroy } from "../operations/action-points.ts";
import type { BeforeDestroy } from "../operations/action-points.ts";
import { hasEnded } from "../operations/operation.ts";
import { createOperation, endOperation, operationsOf } from "../operations/records.ts";
import { patchOperation, startOperation } from "../operations/records.ts";
import type { OperationRecord } from "../operations/records.ts";
import { removeMembers } from "./apply-deployment.ts";
import { deploymentDigest, deploymentOf } from "./environment.ts";
import { countsOf } from "./members.ts";
import type { Member } from "./members.ts";
import { phaseFrom } from "./phase.ts";
import { changeEnvironment, membersOf, pauseOf } from "./run.ts";
import type { EnvironmentRun } from "./run.ts";
import { statusOf } from "./summary.ts";

export async function destroyEnvironment(
  run: EnvironmentRun,
  before: readonly Member[],
  operations: readonly OperationRecord[],
): Promise<Outcome> {
  const { resource, context } = run;
  if (textAt(resource.status, "phase") === "Destroyed" && before.length === 0) {
    await markDestroyed(run);
    // Those that were requested while the last resource was removed.
    for (const late of operations) {
      if (hasEnded(late.phase) || late.type === "Destroy") continue;
      await endOperation(run, late, "Superseded", { message: "the Environment is destroyed" });
    }
    return done({ ready: "keep", resyncMs: 0 });
  }
  const carried = await carryDestruction(run, before, operations);
  const { members, operation, isRemoved } = carried;
  if (isRemoved) await markDestroyed(run);
  const report = reportOf(carried);
  const status: JsonObject = {
    ...statusOf(run, report, operation.name),
    resources: { ...countsOf(members), drifted: 0 },
    failures: null,
    health: null,
    drift: null,
    entryPoints: null,
    operation: isRemoved ? null : operation.name,
    ...(isRemoved
      ? {
          destroyedAt: timeText(context.clock.nowMs()),
          deployed: null,
          lastOperation: operation.name,
          reminders: null,
          overdueAnnouncedAt: null,
        }
      : {}),
  };
  const { reason, message } = report;
  if (carried.problem !== undefined) {
    const ready = { status: "False", reason, message } as const;
    return again(environmentLimits.heldActionMs, { status, ready, reason, message });
  }
  return done({ status, ready: { status: "False", reason, message }, resyncMs: 0 });
}

/** `kubectl delete`: the same, and a record of what was. */
export async function removeEnvironment(run: EnvironmentRun): Promise<Outcome> {
  const pauseMs = pauseOf(run);
  if (pauseMs > 0) return again(pauseMs, { ready: "keep", reason: "Destroying" });
  const startedMs = run.context.clock.nowMs();
  const members = await membersOf(run);
  const { uid } = run.resource.metadata;
  run.ports.summaries.looked(uid, startedMs, run.context.clock.nowMs());
  const operations = await operationsOf(run);
  const isDestroyed = textAt(run.resource.status, "phase") === "Destroyed";
  if (isDestroyed && members.length === 0) {
    await writeRecord(run);
    return done();
  }
  const carried = await carryDestruction(run, members, operations);
  const report = reportOf({ ...carried, isRemoved: false });
  if (!carried.isRemoved) {
    const status = {
      ...statusOf(run, report, carried.operation.name),
      resources: { ...countsOf(carried.members), drifted: 0 },
      operation: carried.operation.name,
    };
    if (report.reason === "DestructionFailed") {
      return failed(report.reason, report.message, { retry: "slow", status });
    }
    // Woken by its resources; the time is for what is not a resource of it.
    return again(600_000, { reason: report.reason, message: report.message, status });
  }
  await writeRecord(run);
  return done();
}

interface Carried {
  readonly members: readonly Member[];
  readonly operation: OperationRecord;
  readonly isRemoved: boolean;
  /** An action that holds the destruction. */
  readonly problem: BeforeDestroy["problem"];
}

async function carryDestruction(
  run: EnvironmentRun,
  before: readonly Member[],
  operations: readonly OperationRecord[],
): Promise<Carried> {
  for (const old of operations) {
    const isOther = old.type !== "Destroy" && !hasEnded(old.phase);
    // An action of this destruction runs first.
    if (!isOther || textAt(old.spec, "action") !== "") continue;
    await endOperation(run, old, "Superseded", { message: "the destruction replaced it" });
  }
  let operation = await destroyOperation(run, operations);
  const first = await performBeforeDestroy(run, operation, operations, before);
  const { problem } = first;
  if (!first.isDone) return { members: before, operation, isRemoved: false, problem };
  const open = before.filter(({ isDeleting }) => !isDeleting);
  await removeMembers(run.context, open);
  for (const { metadata } of await run.context.children.list(groupsKind)) {
    await run.context.children.delete({ kind: groupsKind, name: metadata.name });
  }
  const members = open.length > 0 ? await membersOf(run) : before;
  const total = Math.max(numberOf(operation), before.length);
  const progress = { done: total - members.length, of: total, message: "" };
  if (members.length > 0) {
    operation = await patchOperation(run, operation, { progress });
    return { members, operation, isRemoved: false, problem };
  }
  const changes = { added: 0, changed: 0, removed: total };
  operation = await endOperation(run, operation, "Succeeded", { progress, changes });
  return { members, operation, isRemoved: true, problem };
}

function numberOf({ status }: OperationRecord): number {
  const of = objectAt(status, "progress")["of"];
  return typeof of === "number" ? of : 0;
}

async function destroyOperation(
  run: EnvironmentRun,
  operations: readonly OperationRecord[],
): Promise<OperationRecord> {
  const { resource } = run;
  const running = operations.find(({ type, phase }) => type === "Destroy" && !hasEnded(phase));
  const generation = resource.metadata.generation ?? 0;
  const spec = objectAt(resource, "spec");
  const deployment = { ...deploymentOf(spec), generation, digest: deploymentDigest(spec) };
  const requestedBy = resource.metadata.annotations?.[requestedByAnnotation] ?? "";
  const name = `${resource.metadata.name}.destroy-${generation}`;
  const found =
    running ?? (await createUnlessOver(run, name, { type: "Destroy", requestedBy, deployment }));
  if (found === undefined) return { ...unrecorded, resource };
  return found.phase === "Running" || hasEnded(found.phase)
    ? found
    : await startOperation(run, found);
}

/** Nothing is created in a namespace that is being deleted: it is destroyed without a record. */
async function createUnlessOver(
  run: EnvironmentRun,
  name: string,
  spec: JsonObject,
): Promise<OperationRecord | undefined> {
  try {
    return await createOperation(run, name, spec);
  } catch (error) {
    if (!isSetpointError(error, "request.forbidden")) throw error;
    return undefined;
  }
}

const unrecorded = { name: "", type: "Destroy", phase: "Running", spec: {}, status: {} } as const;

function reportOf({ members, isRemoved, problem }: Carried): ReturnType<typeof phaseFrom> {
  const failing = members.filter(({ resource }) => {
    return textAt(resource.status, "message").includes("which fails:");
  });
  return phaseFrom({
    isDestroying: true,
    isRemoved,
    isAwaitingApproval: false,
    wasDeployed: true,
    isChanging: false,
    isBusy: true,
    failures: [
      ...(problem === undefined ? [] : [problem]),
      ...failing.map(({ name, message }) => ({ resource: name, reason: message })),
    ],
    blocked: 0,
    health: "healthy",
    healthMessage: "",
    operationProblem: "",
    before: undefined,
  });
}

/** Frees the display name: see admission/environment-guard.ts. */
async function markDestroyed(run: EnvironmentRun): Promise<void> {
  const { resource, context } = run;
  if (resource.metadata.annotations?.[destroyedAnnotation] !== undefined) return;
  const at = timeText(context.clock.nowMs());
  await changeEnvironment(run, (old) => {
    const { annotations = {} } = old.metadata;
    if (annotations[destroyedAnnotation] !== undefined) return old;
    const marked = { ...annotations, [destroyedAnnotation]: at };
    return { ...old, metadata: { ...old.metadata, annotations: marked } };
  });
}

/** Named by its uid, so that the record of each life of a name is kept. */
async function writeRecord(run: EnvironmentRun): Promise<void> {
  const { resource, context, ports, intents } = run;
  const { name, namespace = "", uid } = resource.metadata;
  const nowMs = context.clock.nowMs();
  const { retentionSeconds } = ports.configuration;
  if (retentionSeconds === 0) return;
  const { creationTimestamp } = resource.metadata as { readonly creationTimestamp?: string };
  const body: JsonObject = {
    apiVersion: environmentsVersion,
    kind: "DestroyedEnvironment",
    metadata: {
      name: `${name}.${uid.slice(0, 8)}`,
      namespace,
      labels: { [environmentLabel]: name },
    },
    spec: {
      id: name,
      uid,
      displayName: textAt(resource.spec, "displayName") || name,
      ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
      destroyedAt: textAt(resource.status, "destroyedAt") || timeText(nowMs),
      expiresAt: timeText(nowMs + retentionSeconds * 1_000),
      templates: textsAt(resource.spec, "templates"),
      environment: shownEnvironment(run, resource),
    },
  };
  const { target } = targetFor(intents, body);
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await createResource(intents, {
        caller: systemCallerFor(cause),
        target,
        body,
        options: { ...systemOptions, claim },
        decodeProblems: [],
      });
    });
  } catch (error) {
    // Nothing is created in a namespace that is being deleted.
    const isOver = isSetpointError(error, "request.forbidden");
    if (!isOver && !isSetpointError(error, "resource.already_exists")) throw error;
  }
}

function shownEnvironment({ intents }: EnvironmentRun, resource: Resource): JsonObject {
  const served = intents.kinds.byId("environments.environments.setpoint.dev");
  const shown = served === undefined ? resource : withoutHidden(served.kind, resource);
  const status = withoutKey(withoutKey(objectAt(shown, "status"), "conditions"), "reconcile");
  return { spec: objectAt(shown, "spec"), status: { ...status, phase: "Destroyed" } };
}
