// Both ways of waiting are measured, and the quicker one is taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { AwakeCaller, nextMessage } from "./awake.ts";

interface Row {
  readonly calls: number;
  readonly awakeMs: number;
  readonly asleepMs: number;
  /** Between an answer and the next call. */
  readonly pauseMs?: number;
  readonly processors?: number;
  readonly others?: number;
}

/** How many of the calls one after the other were told to stay awake. */
function awakeCalls(row: Row): number {
  const { calls, awakeMs, asleepMs, pauseMs = 0.01, processors = 2, others = 0 } = row;
  let nowMs = 1_000;
  let waiting = others;
  const caller = new AwakeCaller(() => waiting > 0, { nowMs: () => nowMs, processors });
  let awake = 0;
  for (let call = 0; call < calls; call += 1) {
    const isAwake = caller.asks();
    waiting += 1;
    if (isAwake) awake += 1;
    nowMs += isAwake ? awakeMs : asleepMs;
    waiting -= 1;
    caller.isAnswered();
    nowMs += pauseMs;
  }
  return awake;
}

test("a row of calls is waited for where that is quicker, but for some trials", () => {
  const awake = awakeCalls({ calls: 10_000, awakeMs: 0.2, asleepMs: 0.3 });
  assert.ok(awake > 9_500 && awake < 10_000, `${awake} calls`);
});

test("where looking takes the time of others it is given up, but for some trials", () => {
  const awake = awakeCalls({ calls: 10_000, awakeMs: 0.5, asleepMs: 0.3 });
  assert.ok(awake > 0 && awake < 500, `${awake} calls`);
});

test("what is no quicker awake is done asleep", () => {
  assert.ok(awakeCalls({ calls: 10_000, awakeMs: 5, asleepMs: 5 }) < 500);
});

test("calls that do not follow one another at once are never waited for", () => {
  assert.equal(awakeCalls({ calls: 10_000, awakeMs: 0.2, asleepMs: 0.3, pauseMs: 0.2 }), 0);
});

test("nor are calls beside others, or those on a single processor", () => {
  assert.equal(awakeCalls({ calls: 10_000, awakeMs: 0.2, asleepMs: 0.3, others: 1 }), 0);
  assert.equal(awakeCalls({ calls: 10_000, awakeMs: 0.2, asleepMs: 0.3, processors: 1 }), 0);
});

test("the next message is taken when it is there, and not waited for without end", () => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage("first");
  port1.postMessage("second");
  assert.equal(nextMessage(port2), "first");
  assert.equal(nextMessage(port2), "second");
  assert.equal(nextMessage(port2), undefined);
  port1.close();
});
