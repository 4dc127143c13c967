// Removes the outcomes of idempotent requests and of commands after their time.

import type { JsonObject } from "../../kernel/json.ts";
import { numberAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { commandKind } from "./command-records.ts";
import { outcomeKind } from "./outcome-records.ts";
import type { OutcomePorts } from "./outcome-records.ts";
import { removeRecords } from "./record-expiry.ts";
import type { Removal } from "./record-expiry.ts";

const keptMs: Readonly<Record<string, number>> = {
  [outcomeKind]: limits.idempotencyTtlMs,
  [commandKind]: limits.commandRecordTtlMs,
};

/** Returns how many were removed. */
export async function removeOldOutcomes(ports: OutcomePorts, how: Removal = {}): Promise<number> {
  let removed = 0;
  for (const [kind, ttlMs] of Object.entries(keptMs)) {
    const expiry = {
      kind,
      isOver: (document: JsonObject, nowMs: number) =>
        (numberAt(document, "writtenMs") ?? 0) <= nowMs - ttlMs,
    };
    removed += await removeRecords(ports, expiry, how);
  }
  return removed;
}
