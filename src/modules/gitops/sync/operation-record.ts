/** The Operation of a sync: a record for people, with the ids that logs and events have as well. */
import { timeText } from "../../../kernel/clock.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { gitopsLimits } from "../limits.ts";
import { gitopsVersion, operationsKind } from "../names.ts";
import { hasEnded } from "./decide.ts";
import type { OperationState } from "./operation.ts";
import { createRecord, patchRecordStatus } from "./records.ts";
import { recordsOf } from "./run.ts";
import type { SyncRunOf } from "./run.ts";

export async function recordOperation(run: SyncRunOf, operation: OperationState): Promise<void> {
  const { resource, context } = run;
  const { apiVersion, kind, metadata } = resource;
  const { name, uid, namespace = "" } = metadata;
  const ports = recordsOf(run);
  const owner = await context.references.get({ kind: "namespaces", name: namespace });
  const nowMs = context.clock.nowMs();
  const isOver = hasEnded(operation);
  const ids = { workspaceID: owner?.metadata.uid ?? "", gitopsDeplID: uid };
  const { trigger, revision, phase, message } = operation;
  const fields = { operationId: operation.id, ...ids, trigger, revision };
  if (!isOver) context.log.info(fields, "sync started");
  else {
    context.log.info({ ...fields, phase }, "sync ended");
    const isFailed = phase !== "Succeeded";
    const end = isFailed ? `the sync failed: ${message}` : "the sync succeeded";
    const about = { operation: operation.id, revision, ...ids };
    const named = Object.entries(about).map(([id, value]) => `${id} ${value}`);
    const text = `${end} (${named.join(", ")})`;
    context.event(isFailed ? "Warning" : "Normal", isFailed ? "SyncFailed" : "SyncSucceeded", text);
  }
  await createRecord(ports, {
    apiVersion: gitopsVersion,
    kind: "Operation",
    metadata: {
      name: operation.id,
      namespace,
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    spec: {
      operationID: operation.id,
      instanceID: run.ports.instanceId,
      owner: ids.workspaceID,
      resource: uid,
      resourceName: name,
      resourceType: "GitOpsDeployment",
      trigger: operation.trigger,
      revision: operation.revision,
    },
  });
  const key = { kind: operationsKind, namespace, name: operation.id };
  const finishedMs = operation.finishedAtMs ?? nowMs;
  await patchRecordStatus(ports, key, {
    state: isOver ? (operation.phase === "Succeeded" ? "Completed" : "Failed") : "In_Progress",
    message: shortText(operation.message, gitopsLimits.maxMessageChars),
    startedAt: timeText(operation.startedAtMs),
    lastUpdateAt: timeText(nowMs),
    finishedAt: isOver ? timeText(finishedMs) : null,
    expiresAt: isOver
      ? timeText(finishedMs + gitopsLimits.operationRetentionSeconds * 1_000)
      : null,
  });
}
