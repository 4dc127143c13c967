import assert from "node:assert/strict";
import { test } from "node:test";
import { SetpointError } from "../../kernel/errors.ts";
import type { FeedListener } from "../../intents/watch/change-feed.ts";
import type { Change, ListQuery, Page } from "../../store/port.ts";
import { followRecords } from "./followed-records.ts";

const kind = "dinosaurs.example.dev";

function change(name: string, revision: number, of = kind): Change {
  const key = { kind: of, namespace: "org-a", name };
  const body = Buffer.from("{}");
  return { key, uid: name, revision, type: "updated", previous: 1, atMs: 0, body, terms: [] };
}

/** A store that answers from `pages`; `during` runs while the first page is read. */
function rig(pages: (query: ListQuery) => Page, during?: (feed: FeedListener) => void) {
  const seen: string[] = [];
  let listener: FeedListener = () => undefined;
  let subscribers = 0;
  const following = followRecords(
    {
      feed: {
        subscribe: (given) => {
          listener = given;
          subscribers += 1;
          return () => {
            subscribers -= 1;
          };
        },
      },
      store: {
        list: async (query) => {
          if (query.from === undefined) during?.(listener);
          return pages(query);
        },
      },
    },
    kind,
    {
      load: ({ key }) => seen.push(`load ${key.name}`),
      restart: () => seen.push("restart"),
      change: ({ key, revision }) => seen.push(`change ${key.name}@${revision}`),
    },
  );
  const feed = (...changes: readonly Change[]): void => listener(changes, 0);
  return { seen, following, feed, subscribers: () => subscribers };
}

test("stored resources are loaded page by page, then changes follow", async () => {
  const next = { revision: 5, namespace: "org-a", name: "a" };
  const { seen, following, feed, subscribers } = rig(({ from }) =>
    from === undefined
      ? { revision: 5, records: [change("a", 1)], next }
      : { revision: 5, records: [change("b", 2)] },
  );
  const stop = await following;
  feed(change("a", 6), change("a", 7, "others.example.dev"));
  assert.deepEqual(seen, ["load a", "load b", "change a@6"]);
  stop();
  assert.equal(subscribers(), 0);
});

test("changes that the loaded state contains are not repeated, whenever they arrive", async () => {
  const { seen, following, feed } = rig(
    () => ({ revision: 5, records: [change("a", 5)] }),
    (listener) => listener([change("a", 4), change("a", 6)], 0),
  );
  await following;
  feed(change("a", 5), change("a", 7));
  assert.deepEqual(seen, ["load a", "change a@6", "change a@7"]);
});

test("loading begins again when the state of the first page was compacted", async () => {
  let reads = 0;
  const next = { revision: 5, namespace: "org-a", name: "a" };
  const { seen, following } = rig(({ from }) => {
    reads += 1;
    if (reads === 1) return { revision: 5, records: [change("a", 1)], next };
    if (from !== undefined) throw new SetpointError("history.gone", "compacted");
    return { revision: 9, records: [change("b", 8)] };
  });
  await following;
  assert.deepEqual(seen, ["load a", "restart", "load b"]);
});

test("a failure to load ends the subscription", async () => {
  const { following, subscribers } = rig(() => {
    throw new SetpointError("store.unavailable", "the database cannot be reached");
  });
  await assert.rejects(following, /cannot be reached/);
  assert.equal(subscribers(), 0);
});
