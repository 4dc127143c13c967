// Removes the outcomes of idempotent requests and of commands after their time. Idempotent: a
// record that was written in the meantime is refused by its precondition and stays.

import { systemCause } from "../../kernel/cause.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { numberAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { ClaimRef, Delete, Position } from "../../store/port.ts";
import { commandKind } from "./command-records.ts";
import { outcomeKind } from "./outcome-records.ts";
import type { OutcomePorts } from "./outcome-records.ts";

export interface Removal {
  /** Of the leader that removes them. */
  readonly claim?: ClaimRef;
  readonly signal?: AbortSignal;
}

const keptMs: Readonly<Record<string, number>> = {
  [outcomeKind]: limits.idempotencyTtlMs,
  [commandKind]: limits.commandRecordTtlMs,
};

/** Returns how many were removed. */
export async function removeOldOutcomes(ports: OutcomePorts, how: Removal = {}): Promise<number> {
  let removed = 0;
  for (const [kind, ttlMs] of Object.entries(keptMs)) {
    removed += await removeOldOf(ports, { kind, ttlMs }, how);
  }
  return removed;
}

async function removeOldOf(
  { store, clock }: OutcomePorts,
  { kind, ttlMs }: { readonly kind: string; readonly ttlMs: number },
  { claim, signal }: Removal,
): Promise<number> {
  let removed = 0;
  let from: Position | undefined;
  for (;;) {
    const query = { kind, limit: limits.defaultPageItems };
    const page = await store.list(from === undefined ? query : { ...query, from });
    const oldestMs = clock.nowMs() - ttlMs;
    const writes = page.records
      .filter(({ body, revision }) => {
        return (numberAt(decodeDocument(body, revision), "writtenMs") ?? 0) <= oldestMs;
      })
      .map(({ key, revision, uid }): Delete => {
        const when = { kind: "revision", revision, uid } as const;
        const write: Delete = { kind: "delete", key, when, cause: systemCause };
        return claim === undefined ? write : Object.assign(write, { claim });
      });
    const answers = writes.length === 0 ? [] : await store.commit(writes);
    removed += answers.filter((answer) => answer.kind === "committed").length;
    from = page.next;
    if (from === undefined || signal?.aborted === true) return removed;
  }
}
