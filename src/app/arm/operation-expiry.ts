/** Records of operations go when their time has come. Every process sweeps; none waits for it. */
import type { Intents } from "../../intents/request.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { Position, Write } from "../../store/port.ts";
import { operationKind } from "../../surfaces/arm/face.ts";
import { expiresAtMs } from "../../surfaces/arm/operations.ts";

const pageItems = 200;

export async function removeOldOperations(
  { store, clock }: Pick<Intents, "store" | "clock">,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  let from: Position | undefined;
  do {
    const query = { kind: operationKind, limit: pageItems };
    const page = await store.list(from === undefined ? query : { ...query, from });
    const old = page.records.filter(
      ({ body, revision }) => expiresAtMs(decodeDocument(body, revision)) <= clock.nowMs(),
    );
    const writes = old.map(({ key, revision, uid }): Write => ({
      kind: "delete",
      key,
      when: { kind: "revision", revision, uid },
    }));
    // One that was written meanwhile stays until the next time.
    if (writes.length > 0) await store.commit(writes);
    removed += writes.length;
    from = page.next;
  } while (from !== undefined && !signal.aborted);
  return removed;
}
