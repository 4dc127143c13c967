// Removes records of the server itself after their time. Idempotent: a record that was written in
// the meantime is refused by its precondition and stays.

import { systemCause } from "../../kernel/cause.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { ClaimRef, Delete, Position } from "../../store/port.ts";
import type { Intents } from "../request.ts";

export interface Removal {
  /** Of the leader that removes them. */
  readonly claim?: ClaimRef;
  readonly signal?: AbortSignal;
}

export interface RecordExpiry {
  readonly kind: string;
  readonly isOver: (document: JsonObject, nowMs: number) => boolean;
}

/** Returns how many were removed. */
export async function removeRecords(
  { store, clock }: Pick<Intents, "store" | "clock">,
  { kind, isOver }: RecordExpiry,
  { claim, signal }: Removal = {},
): Promise<number> {
  let removed = 0;
  let from: Position | undefined;
  for (;;) {
    const query = { kind, limit: limits.defaultPageItems };
    const page = await store.list(from === undefined ? query : { ...query, from });
    const nowMs = clock.nowMs();
    const writes = page.records
      .filter(({ body, revision }) => isOver(decodeDocument(body, revision), nowMs))
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
