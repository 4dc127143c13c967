/** The kinds whose resources a promotion makes due: all that any process reconciles. */
import { isMarkedReconciled } from "../../intents/admission/reconciled-definitions.ts";
import { policiesKind } from "../../intents/admission/policy/policy-index.ts";
import { definitionsKind } from "../../intents/kinds/definition-kinds.ts";
import { namespacesKind } from "../../intents/write/namespace.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { Position, Store } from "../../store/port.ts";

/** Those of the server itself, which have no definition. */
const ownKinds = [namespacesKind, definitionsKind, policiesKind] as const;

export async function wokenKinds(store: Pick<Store, "list">): Promise<readonly string[]> {
  const kinds: string[] = [...ownKinds];
  let from: Position | undefined;
  do {
    const page = await store.list({ kind: definitionsKind, ...(from !== undefined && { from }) });
    for (const { key, body, revision } of page.records) {
      if (isMarkedReconciled(decodeDocument(body, revision))) kinds.push(key.name);
    }
    from = page.next;
  } while (from !== undefined);
  return kinds;
}
