// What the action of a face may use: the children of the resource it is asked about, and nothing
// else that is stored. Whoever may call the action need not be allowed to read them, which is what
// actions such as listCredentials are for.

import type { Intents } from "../../../intents/request.ts";
import { readStored } from "../../../intents/write/stored.ts";
import type { ArmActionContext } from "../../../modules/resource-provider/faces/arm-face.ts";
import type { Resource } from "../../../kernel/resource.ts";

export function actionContext(
  { store, kinds, clock }: Pick<Intents, "store" | "kinds" | "clock">,
  { metadata }: Resource,
): ArmActionContext {
  return {
    clock,
    child: async ({ kind, namespace = metadata.namespace ?? "", name }) => {
      const served = kinds.byId(kind);
      if (served === undefined) return undefined;
      const isNamespaced = served.kind.scope === "Namespaced";
      const key = { kind: served.id, namespace: isNamespaced ? namespace : "", name };
      const record = await store.get(key);
      if (record === undefined) return undefined;
      const child = await readStored(served, served.storage, record);
      const owners = child.metadata.ownerReferences ?? [];
      return owners.some(({ uid }) => uid === metadata.uid) ? child : undefined;
    },
  };
}
