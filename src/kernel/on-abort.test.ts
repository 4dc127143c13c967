import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { it } from "node:test";
import { onAbort } from "./on-abort.ts";

it("thousands of listeners are one listener of the signal", () => {
  const stop = new AbortController();
  let called = 0;
  const cancels = Array.from({ length: 5_000 }, () => onAbort(stop.signal, () => (called += 1)));
  assert.equal(getEventListeners(stop.signal, "abort").length, 1);
  for (const cancel of cancels.slice(0, 1_000)) cancel();
  stop.abort();
  assert.equal(called, 4_000);
});

it("a listener that another one cancels is not called", () => {
  const stop = new AbortController();
  const called: string[] = [];
  onAbort(stop.signal, () => {
    called.push("first");
    cancelSecond();
  });
  const cancelSecond = onAbort(stop.signal, () => called.push("second"));
  stop.abort();
  assert.deepEqual(called, ["first"]);
});
