import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "./limits.ts";
import { nextTurn, pausesFor } from "./pauses.ts";

test("work on a small document does not pause", () => {
  assert.equal(pausesFor(limits.minSlicedBytes - 1, "a")(), undefined);
  assert.ok(pausesFor(limits.minSlicedBytes, "a")() instanceof Promise);
});

test("no two steps of large documents run in one turn of the event loop", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    for (let step = 0; step < 3; step++) {
      await nextTurn("a");
      seen.push(turns);
    }
  };
  setImmediate(count);
  await Promise.all([work(), work(), work()]);
  isOver = true;
  assert.equal(seen.length, 9);
  assert.equal(new Set(seen).size, 9, "no two steps run in one turn");
});
