// Records of runs outlive their owner, so that the log of a destruction can be read. A task of the
// leader deletes them when their time is over.

import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import { allPages } from "../../../intents/read/all-pages.ts";
import type { Intents } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { limits } from "../../../kernel/limits.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { every } from "../../../kernel/timers.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { ClaimRef } from "../../../store/port.ts";
import { targetAt } from "../../../acting/claimed-writes.ts";
import { executorLimits } from "../limits.ts";
import { logsKind, runsKind } from "./run-kinds.ts";

export function expireRuns(intents: Intents, timers: Timers): LeaderTask {
  return {
    name: "expiry of executor runs",
    lead: async (claim, signal) => {
      const sweep = async (): Promise<void> => {
        const oldestMs = intents.clock.nowMs() - executorLimits.runRetentionMs;
        for (const kind of [logsKind, runsKind]) await sweepKind(intents, claim, kind, oldestMs);
      };
      await every(timers, executorLimits.runSweepMs, sweep, signal);
    },
  };
}

async function sweepKind(
  intents: Intents,
  claim: ClaimRef,
  kind: string,
  oldestMs: number,
): Promise<void> {
  const query = { kind, limit: limits.defaultPageItems };
  for await (const page of allPages(intents.store, query, kind)) {
    for (const { key, body, revision } of page.records) {
      if (isOld(decodeDocument(body, revision), oldestMs)) await remove(intents, claim, key);
    }
  }
}

/** A run that has no end yet is kept. */
export function isOld(record: Resource, oldestMs: number): boolean {
  const isRun = textAt(record, "spec", "action") !== "";
  const end = isRun ? textAt(record, "status", "endedAt") : record.metadata.creationTimestamp;
  return end !== "" && Date.parse(end) < oldestMs;
}

async function remove(intents: Intents, claim: ClaimRef, key: ResourceKey): Promise<void> {
  try {
    await deleteResource(intents, {
      caller: systemCaller,
      target: targetAt(intents, key),
      options: { isDryRun: false, propagation: undefined, preconditions: {}, raw: {}, claim },
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}
