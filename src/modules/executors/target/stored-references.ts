// References to stored resources for work that is not a run, such as a leader task. A change of a
// resource wakes nothing: the caller reads again.

import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { readStored } from "../../../intents/write/stored.ts";

export function storedReferences({
  store,
  kinds,
}: Pick<Intents, "store" | "kinds">): Context["references"] {
  return {
    get: async ({ kind, namespace = "", name }) => {
      const served = kinds.byId(kind);
      const record = await store.get({ kind, namespace, name });
      if (served === undefined || record === undefined) return undefined;
      return await readStored(served, served.storage, record);
    },
  };
}
