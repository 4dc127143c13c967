import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../port.ts";
import { RecentLog } from "../recent-log.ts";
import { Tail } from "./tail.ts";

function change(revision: number): Change {
  const key = { kind: "things.test", namespace: "", name: `t${revision}` };
  const fixed = { uid: "u", previous: undefined, atMs: 0, body: Buffer.from("{}"), terms: [] };
  return { revision, type: "created", key, ...fixed };
}

// Found by tests/chaos/crash.test.ts: a filling that needed no reading ended before it was noted as
// begun, was taken for one that goes on for ever, and no later revision was ever announced.
test("the log goes on after a filling that had nothing to wait for", async () => {
  const log = new RecentLog(0);
  const tail = new Tail({ log, read: async () => await Promise.reject(new Error("not needed")) });
  for (const first of [1, 3, 5]) {
    // The answers of two batches may come to be offered in either order.
    tail.offer([change(first + 1)], first - 1);
    tail.offer([change(first)], first + 1);
    await tail.reach(first + 1);
    assert.equal(log.head, first + 1);
  }
  await tail.close();
});
