// The Operations of an Environment: read, created, changed and pruned under the claim of its run.

import type { Meter } from "../../../engine/ports.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { timeText } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { applyMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Member } from "../environment/members.ts";
import { environmentLimits } from "../limits.ts";
import { operationSecondsMetric, operationsMetric } from "../metrics.ts";
import { environmentLabel, environmentsVersion, operationsKind } from "../names.ts";
import { isChange, newestChange } from "./choose.ts";
import { hasEnded } from "./operation.ts";
import type { OperationPhase, OperationType } from "./operation.ts";

export interface OperationRun {
  readonly resource: Resource;
  readonly context: Context;
  readonly intents: Intents;
  readonly meter: Meter;
}

export interface OperationRecord {
  readonly name: string;
  readonly type: OperationType;
  readonly phase: OperationPhase;
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly resource: Resource;
}

/** An Operation that was carried on in a run. */
export interface Performed {
  readonly operation: OperationRecord;
  readonly members: readonly Member[];
  /** When to look at it again; undefined: when a resource of it changes. */
  readonly againMs?: number;
}

/** The oldest first. */
export async function operationsOf({ context }: OperationRun): Promise<readonly OperationRecord[]> {
  const found = await context.children.list(operationsKind);
  const created = ({ metadata }: Resource): string => {
    return textAt({ ...metadata }, "creationTimestamp");
  };
  return found
    .toSorted((a, b) => {
      const order = created(a).localeCompare(created(b));
      return order === 0 ? a.metadata.name.localeCompare(b.metadata.name, "en") : order;
    })
    .map(recordOf);
}

export function recordOf(resource: Resource): OperationRecord {
  const spec = objectAt(resource, "spec");
  const status = objectAt(resource, "status");
  return {
    name: resource.metadata.name,
    type: textAt(spec, "type") as OperationType,
    phase: (textAt(status, "phase") || "Queued") as OperationPhase,
    spec,
    status,
    resource,
  };
}

/** Its name is derived from what it does, so that a repeated run creates it once. */
export async function createOperation(
  run: OperationRun,
  name: string,
  spec: JsonObject,
): Promise<OperationRecord> {
  const { resource, context, intents } = run;
  const { apiVersion, kind, metadata } = resource;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  const body: JsonObject = {
    apiVersion: environmentsVersion,
    kind: "Operation",
    metadata: {
      name,
      namespace: metadata.namespace ?? "",
      labels: { [environmentLabel]: metadata.name },
      ownerReferences: [owner],
    },
    spec: { environment: metadata.name, ...spec },
  };
  const target = targetOf(intents, { ...keyOf(run, name), name: "" });
  try {
    const written = await fencedWrite(
      context,
      async ({ claim, cause }) =>
        await createResource(intents, {
          caller: systemCallerFor(cause),
          target,
          body,
          options: { ...systemOptions, claim },
          decodeProblems: [],
        }),
    );
    return recordOf(decodeDocument(written.body, written.revision));
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
    const found = (await operationsOf(run)).find((each) => each.name === name);
    if (found === undefined) throw error;
    return found;
  }
}

/** Merges into the status; a null removes. Nothing is written when nothing changes. */
export async function patchOperation(
  run: OperationRun,
  operation: OperationRecord,
  fields: JsonObject,
): Promise<OperationRecord> {
  const { context, intents } = run;
  // An Operation without a record.
  if (operation.name === "") return operation;
  const merged = (resource: Resource): Resource => {
    const status = applyMergePatch(objectAt(resource, "status"), fields);
    return { ...resource, status };
  };
  if (equalJson(merged(operation.resource).status, operation.resource.status)) return operation;
  const target = { ...targetOf(intents, keyOf(run, operation.name)), subresource: "status" };
  try {
    const written = await fencedWrite(
      context,
      async ({ claim, cause }) =>
        await updateResource(intents, {
          caller: systemCallerFor(cause),
          target,
          options: { ...systemOptions, claim },
          optionsKind: "UpdateOptions",
          change: (old) => ({ wanted: merged(old) }),
          allowsBlind: true,
        }),
    );
    return recordOf(decodeDocument(written.body, written.revision));
  } catch (error) {
    // A deletion in the foreground deletes the records first: what they describe continues.
    if (!isSetpointError(error, "resource.not_found")) throw error;
    return recordOf(merged(operation.resource));
  }
}

/** `plan`: the Plan that was approved. */
export async function startOperation(
  run: OperationRun,
  operation: OperationRecord,
  plan = "",
): Promise<OperationRecord> {
  const startedAt = timeText(run.context.clock.nowMs());
  const { name, type } = operation;
  run.context.event("Normal", `${type}Started`, `the Operation ${name} has started`);
  return await patchOperation(run, operation, {
    phase: "Running",
    startedAt,
    reason: null,
    message: null,
    ...(plan === "" ? {} : { plan }),
  });
}

export async function endOperation(
  run: OperationRun,
  operation: OperationRecord,
  phase: OperationPhase,
  fields: JsonObject = {},
): Promise<OperationRecord> {
  if (hasEnded(operation.phase)) return operation;
  const { name, type } = operation;
  const kind = phase === "Failed" ? "Warning" : "Normal";
  const message = textAt(fields, "message");
  const detail = message === "" ? "" : `: ${message}`;
  run.context.event(kind, `${type}${phase}`, `the Operation ${name} has ended${detail}`);
  const nowMs = run.context.clock.nowMs();
  const ended = await patchOperation(run, operation, {
    phase,
    endedAt: timeText(nowMs),
    ...fields,
  });
  const startedMs = Date.parse(textAt(operation.status, "startedAt"));
  run.meter.count(operationsMetric, { type, phase });
  if (!Number.isNaN(startedMs)) {
    run.meter.observe(operationSecondsMetric, (nowMs - startedMs) / 1_000, { type });
  }
  return ended;
}

/**
 * Deletes the oldest ended Operations beyond the limit. Deployments are counted apart from the
 * others, and the newest is kept: it is what the Environment has.
 */
export async function pruneOperations(
  { context }: OperationRun,
  operations: readonly OperationRecord[],
  kept: string,
): Promise<void> {
  const newest = newestChange(operations)?.name;
  const ended = operations.filter(({ phase, name }) => {
    return hasEnded(phase) && name !== kept && name !== newest;
  });
  const changes = ended.filter(isChange);
  const others = ended.filter((operation) => !isChange(operation));
  for (const some of [changes, others]) {
    const surplus = some.slice(0, Math.max(0, some.length - environmentLimits.maxOperations));
    for (const { name } of surplus) await context.children.delete({ kind: operationsKind, name });
  }
}

function keyOf({ resource }: OperationRun, name: string): ResourceKey {
  return { kind: operationsKind, namespace: resource.metadata.namespace ?? "", name };
}

function targetOf({ kinds }: Intents, { kind, namespace, name }: ResourceKey): Target {
  const served = kinds.byId(kind);
  if (served === undefined) throw new Error(`the kind ${kind} is not served`);
  return { served, version: served.storage, namespace, name, subresource: "" };
}
