// Wakes everything that is kept in one service, to be looked at once: after a time in which nobody
// would have heard of changes there.

import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { restKindsKind } from "./rest-kind-kind.ts";

/** How many resources were woken. */
export async function wakeConnection(
  { store, live }: Pick<Intents, "store" | "live">,
  connection: string,
  signal: AbortSignal,
): Promise<number> {
  let woken = 0;
  for (const { key, resource } of live.all(restKindsKind)) {
    const usual = textAt(resource, "spec", "connection");
    let page = await store.list({ kind: key.name });
    for (;;) {
      const wakes = page.records
        .filter(({ body, revision }) => {
          const own = textAt(decodeDocument(body, revision), "connect", "connection");
          return (own || usual) === connection;
        })
        .map((record) => wake(record.key, record.uid));
      await commitWakes(store, wakes, signal);
      woken += wakes.length;
      if (page.next === undefined) break;
      page = await store.list({ kind: key.name, from: page.next });
    }
  }
  return woken;
}
