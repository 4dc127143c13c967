import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { systemTimers } from "../../kernel/timers.ts";
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
  const read = async (): Promise<never> => await Promise.reject(new Error("not needed"));
  const tail = new Tail({ log, timers: systemTimers, read });
  for (const first of [1, 3, 5]) {
    // The answers of two batches may come to be offered in either order.
    tail.offer([change(first + 1)], first - 1);
    tail.offer([change(first)], first + 1);
    await tail.reach(first + 1);
    assert.equal(log.head, first + 1);
  }
  await tail.close();
});

test("what takes long to read is left out, and nobody waits for it a second time", async () => {
  const timers = manualTimers(manualClock());
  const log = new RecentLog(0);
  const reads: PromiseWithResolvers<readonly Change[]>[] = [];
  const read = async (): Promise<readonly Change[]> => {
    const reading = Promise.withResolvers<readonly Change[]>();
    reads.push(reading);
    return await reading.promise;
  };
  const tail = new Tail({ log, timers, read });
  const offer = async (revision: number): Promise<void> => {
    tail.follow();
    // The one before was committed by another process.
    tail.offer([change(revision)], revision);
    await timers.settle();
  };
  await offer(2);
  await timers.advance(999);
  assert.equal(log.head, 0);
  await timers.advance(1);
  assert.equal(log.head, 2);
  await offer(4);
  assert.deepEqual([log.head, reads.length], [4, 1]);
  reads[0]?.resolve([change(1)]);
  await timers.settle();
  await offer(6);
  reads[1]?.resolve([change(5)]);
  await timers.settle();
  assert.deepEqual([log.head, log.first, timers.pendingCount()], [6, 5, 0]);
  await tail.close();
});
