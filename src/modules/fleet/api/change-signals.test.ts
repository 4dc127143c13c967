import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedListener } from "../../../intents/watch/change-feed.ts";
import type { Change } from "../../../store/port.ts";
import { ChangeSignals } from "./change-signals.ts";

function changeOf(kind: string, namespace: string, revision: number): Change {
  return { key: { kind, namespace, name: "rex" }, revision } as Change;
}

test("signals reach the listeners of the kind and the namespace, until they stop", () => {
  let tell: FeedListener = () => assert.fail("no subscription");
  let isSubscribed = true;
  const signals = new ChangeSignals({
    position: 7,
    subscribe: (listener) => {
      tell = listener;
      return () => {
        isSubscribed = false;
      };
    },
  });
  const seen: Record<string, number[]> = { one: [], other: [], all: [] };
  const stop = signals.follow("things", "org-1", (revision) => seen["one"]?.push(revision));
  signals.follow("things", "org-2", (revision) => seen["other"]?.push(revision));
  signals.follow("things", undefined, (revision) => seen["all"]?.push(revision));

  const changes = [changeOf("things", "org-1", 8), changeOf("secrets", "org-1", 9)];
  tell([...changes, changeOf("things", "org-2", 10)], 10);
  assert.deepEqual(seen, { one: [8], other: [10], all: [8, 10] });

  stop();
  tell([changeOf("things", "org-1", 11)], 11);
  assert.deepEqual(seen, { one: [8], other: [10], all: [8, 10, 11] });
  assert.equal(signals.position, 7);

  signals[Symbol.dispose]();
  assert.equal(isSubscribed, false);
});
