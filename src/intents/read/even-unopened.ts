// Reads what may have to be deleted although its secrets cannot be opened: with these blank, then,
// and marked so. Everybody else reads with `store.get`, which refuses.

import { isSetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Store, StoredRecord } from "../../store/port.ts";

export async function readEvenUnopened(
  store: Pick<Store, "get" | "getMany">,
  key: ResourceKey,
): Promise<StoredRecord | undefined> {
  try {
    return await store.get(key);
  } catch (error) {
    const isUnopened =
      isSetpointError(error, "secret.key_missing") || isSetpointError(error, "secret.unsealable");
    if (!isUnopened) throw error;
    const [record] = await store.getMany([key]);
    return record;
  }
}
