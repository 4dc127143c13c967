/** Records of operations go when their time has come. Every process sweeps; none waits for it. */
import type { Position, Write } from "../../store/port.ts";
import type { ArmSurface } from "../../surfaces/arm/arm-request.ts";
import { operationKind } from "../../surfaces/arm/face.ts";
import { isExpired } from "../../surfaces/arm/operations.ts";

const pageItems = 200;

export async function removeOldOperations(
  surface: ArmSurface,
  signal: AbortSignal,
): Promise<number> {
  const { store } = surface.intents;
  let removed = 0;
  let from: Position | undefined;
  do {
    const query = { kind: operationKind, limit: pageItems };
    const page = await store.list(from === undefined ? query : { ...query, from });
    const writes: Write[] = [];
    for (const record of page.records) {
      const { key, revision, uid } = record;
      if (!(await isExpired(surface, record))) continue;
      writes.push({ kind: "delete", key, when: { kind: "revision", revision, uid } });
    }
    // One that was written meanwhile stays until the next time.
    if (writes.length > 0) await store.commit(writes);
    removed += writes.length;
    from = page.next;
  } while (from !== undefined && !signal.aborted);
  return removed;
}
