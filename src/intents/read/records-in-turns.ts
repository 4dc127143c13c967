// Reads many resources whose documents may be large: a few at a time, and other work runs between
// large ones. The records are not of one moment.

import { bytePauses } from "../../kernel/pauses.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Store, StoredRecord } from "../../store/port.ts";

/** Documents that are in memory at once. */
export const recordsAtOnce = 8;

/** In the order of the keys; undefined for what does not exist. */
export async function* recordsInTurns(
  store: Pick<Store, "getMany">,
  keys: readonly ResourceKey[],
  tenant: string,
  pause = bytePauses(tenant),
): AsyncGenerator<StoredRecord | undefined> {
  for (let from = 0; from < keys.length; from += recordsAtOnce) {
    for (const record of await store.getMany(keys.slice(from, from + recordsAtOnce))) {
      yield record;
      // The caller has decoded it by now.
      await pause(record?.body.length ?? 0);
    }
  }
}
