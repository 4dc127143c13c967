// A service tells that something has changed: the resources of those objects are woken, and look
// for themselves. Nothing in an event is believed but which object it is about, so that duplicates,
// unknown objects and lies cost a look at most. Looking from time to time goes on as ever.

import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { pathText } from "../plan/requests.ts";
import { connectionsKind } from "./connection-kind.ts";
import { restKindsKind } from "./rest-kind-kind.ts";

const mostObjects = 1_000;

/** How many resources were woken. */
export async function wakeByEvent(
  { store, live }: Pick<Intents, "store" | "live">,
  connection: string,
  event: Json,
  signal: AbortSignal,
): Promise<number> {
  const named = objectsIn(live, connection, event);
  if (named.size === 0) return 0;
  let woken = 0;
  for (const { key, resource } of live.all(restKindsKind)) {
    if (textAt(resource, "spec", "connection") !== connection) continue;
    let page = await store.list({ kind: key.name });
    for (;;) {
      const about = page.records.filter(({ body, revision }) =>
        isAbout(decodeDocument(body, revision), named),
      );
      const wakes = about.map((record) => wake(record.key, record.uid));
      await commitWakes(store, wakes, signal);
      woken += wakes.length;
      if (page.next === undefined) break;
      page = await store.list({ kind: key.name, from: page.next });
    }
  }
  return woken;
}

/** What the events call their objects: an id, a path below the base URL, or a whole address. */
function objectsIn(
  live: Pick<LiveView, "get">,
  connection: string,
  event: Json,
): ReadonlySet<string> {
  const record = live.get({ kind: connectionsKind, namespace: "", name: connection });
  const pointer = textAt(record?.resource, "spec", "events", "id");
  if (pointer === "") return new Set();
  const events = isJsonArray(event) ? event.slice(0, mostObjects) : [event];
  const named = events.map((each) => pathText(getAt(each, parsePointer(pointer))));
  return new Set(named.filter((name) => name !== undefined));
}

function isAbout({ status }: Resource, named: ReadonlySet<string>): boolean {
  const id = textAt(status, "connect", "id");
  const path = textAt(status, "connect", "path");
  if (id !== "" && named.has(id)) return true;
  if (path === "") return false;
  return [...named].some((name) => name.includes("/") && name.endsWith(path));
}
