// A service tells that something has changed: the resources of those objects are woken, and look
// for themselves. Nothing in an event is believed but which object it is about, so that duplicates,
// unknown objects and lies cost a look at most. Looking from time to time goes on as ever. The
// resources are found by terms of the index, however many there are.

import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { allPages } from "../../../intents/read/all-pages.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { keptTerm } from "./kept-terms.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import { pathText } from "../plan/requests.ts";
import { connectionsKind } from "./connection-kind.ts";
import { restKindsKind } from "./rest-kind-kind.ts";

const mostObjects = 1_000;
/** Of the values of one question to the index. */
const mostValues = 200;
/** An address deeper than this is nobody's. */
const deepest = 32;

/** How many resources were woken. */
export async function wakeByEvent(
  { store, live }: Pick<Intents, "store" | "live">,
  connection: string,
  event: Json,
  signal: AbortSignal,
): Promise<number> {
  const named = objectsIn(live, connection, event);
  if (named.size === 0) return 0;
  const paths = new Set([...named].flatMap(pathsIn));
  let woken = 0;
  for (const { key, resource } of live.all(restKindsKind)) {
    const usual = textAt(resource, "spec", "connection");
    const found = new Map<string, ReturnType<typeof wake>>();
    for (const [path, values] of [
      [keptTerm.id, named],
      [keptTerm.path, paths],
    ] as const) {
      for (const some of inParts([...values])) {
        const fields = [{ path, operator: "in", values: some }] as const;
        for await (const record of recordsOf(store, { kind: key.name, fields })) {
          const given = decodeDocument(record.body, record.revision)["connect"];
          if ((textAt(given, "connection") || usual) !== connection) continue;
          found.set(record.uid, wake(record.key, record.uid));
        }
      }
    }
    await commitWakes(store, [...found.values()], signal);
    woken += found.size;
  }
  return woken;
}

type Query = Parameters<Intents["store"]["list"]>[0];
type Listed = Awaited<ReturnType<Intents["store"]["list"]>>["records"][number];

async function* recordsOf(store: Intents["store"], query: Query): AsyncGenerator<Listed> {
  for await (const page of allPages(store, query, query.kind)) yield* page.records;
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

/** Every path that an address could end with. */
function pathsIn(name: string): readonly string[] {
  const parts = name.split("/");
  if (parts.length < 2 || parts.length > deepest) return [];
  return parts.slice(1).map((_, index) => `/${parts.slice(index + 1).join("/")}`);
}

function inParts(values: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(values.length / mostValues);
  return Array.from({ length: count }, (_, part) =>
    values.slice(part * mostValues, (part + 1) * mostValues),
  );
}
