/** Deletes Operations after their retention time, those that failed as well. */
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
import { operationsKind } from "../names.ts";
import { listAll } from "./records.ts";

export interface OldRecordsInput {
  readonly intents: Intents;
  readonly clock: Clock;
  readonly timers: Timers;
}

const pauseMs = 600_000;

export function oldRecords({ intents, clock, timers }: OldRecordsInput): LeaderTask {
  return {
    name: "gitops-old-records",
    lead: async (claim, signal) => {
      while (!signal.aborted) {
        await deleteExpired(intents, clock.nowMs(), claim, signal);
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

async function deleteExpired(
  intents: Intents,
  nowMs: number,
  claim: ClaimRef,
  signal: AbortSignal,
): Promise<void> {
  const served = intents.kinds.byId(operationsKind);
  if (served === undefined) return;
  for await (const operation of listAll(intents.store, { kind: operationsKind })) {
    if (signal.aborted) return;
    if (expiresAtMs(operation) > nowMs) continue;
    const { namespace = "", name, uid } = operation.metadata;
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
}
