/** Deletes Operations after their retention time, those that failed as well, and old SyncRuns. */
import { systemCaller } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { ClaimRef } from "../../../store/port.ts";
import { gitopsLimits } from "../limits.ts";
import { operationsKind, syncRunsKind, trackingAnnotation } from "../names.ts";
import { compareTexts } from "./order.ts";
import { listAll } from "./records.ts";
import { hasSyncRunEnded } from "./sync-runs.ts";

export interface OldRecordsInput {
  readonly intents: Intents;
  readonly clock: Clock;
  readonly timers: Timers;
}

const pauseMs = 600_000;

interface Deletion {
  readonly intents: Intents;
  readonly nowMs: number;
  readonly claim: ClaimRef;
  readonly signal: AbortSignal;
}

export function oldRecords({ intents, clock, timers }: OldRecordsInput): LeaderTask {
  return {
    name: "gitops-old-records",
    lead: async (claim, signal) => {
      while (!signal.aborted) {
        const deletion = { intents, nowMs: clock.nowMs(), claim, signal };
        await deleteOldOperations(deletion);
        await deleteOldSyncRuns(deletion);
        await timers.sleep(pauseMs, signal).catch(() => undefined);
      }
    },
  };
}

/** One that a user wrote has no time of its own: it expires like one that never began. */
export function expiresAtMs({ status, metadata }: Resource): number {
  const stated = Date.parse(textAt(status, "expiresAt"));
  if (!Number.isNaN(stated)) return stated;
  const createdMs = Date.parse(metadata.creationTimestamp ?? "");
  const updatedMs = Date.parse(textAt(status, "lastUpdateAt"));
  const sinceMs = Number.isNaN(updatedMs) ? createdMs : updatedMs;
  return sinceMs + gitopsLimits.operationRetentionSeconds * 1_000;
}

async function deleteOldOperations(deletion: Deletion): Promise<void> {
  const { intents, nowMs, signal } = deletion;
  for await (const operation of listAll(intents.store, { kind: operationsKind })) {
    if (signal.aborted) return;
    if (expiresAtMs(operation) <= nowMs) await deleteOne(deletion, operationsKind, operation);
  }
}

/**
 * The newest ended SyncRuns of each deployment stay. One that is in git stays as well: it would be
 * created again, and would sync again.
 */
async function deleteOldSyncRuns(deletion: Deletion): Promise<void> {
  const ended = new Map<string, Resource[]>();
  for await (const run of listAll(deletion.intents.store, { kind: syncRunsKind })) {
    if (deletion.signal.aborted) return;
    if (!hasSyncRunEnded(run) || run.metadata.deletionTimestamp !== undefined) continue;
    if (run.metadata.annotations?.[trackingAnnotation] !== undefined) continue;
    const deployment = textAt(run.spec, "gitopsDeploymentName");
    const key = `${run.metadata.namespace ?? ""}/${deployment}`;
    ended.set(key, [...(ended.get(key) ?? []), run]);
  }
  const byEnd = (one: Resource, other: Resource): number => compareTexts(endOf(other), endOf(one));
  for (const runs of ended.values()) {
    const old = runs.toSorted(byEnd).slice(gitopsLimits.keptSyncRuns);
    for (const run of old) await deleteOne(deletion, syncRunsKind, run);
  }
}

function endOf({ status, metadata }: Resource): string {
  return `${textAt(status, "finishedAt")} ${metadata.creationTimestamp ?? ""} ${metadata.name}`;
}

async function deleteOne(
  { intents, claim }: Deletion,
  kind: string,
  { metadata: { namespace = "", name, uid } }: Resource,
): Promise<void> {
  const served = intents.kinds.byId(kind);
  if (served === undefined) return;
  const target = { served, version: served.storage, namespace, name, subresource: "" };
  const preconditions = { uid };
  try {
    await deleteResource(intents, {
      caller: systemCaller,
      target,
      options: { isDryRun: false, propagation: undefined, preconditions, raw: {}, claim },
    });
  } catch (error) {
    const isOver =
      isSetpointError(error, "resource.not_found") || isSetpointError(error, "resource.conflict");
    if (!isOver) throw error;
  }
}
