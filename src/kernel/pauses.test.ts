import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "./limits.ts";
import { heavyTurns, nextTurn, pausesFor } from "./pauses.ts";

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

test("heavy work of a kind lets other requests run before it", async () => {
  const seen: string[] = [];
  const spend = (ms: number): void => {
    for (const endMs = performance.now() + ms; performance.now() < endMs;);
  };
  const turn = heavyTurns();
  const [heavy, small] = [{}, {}];
  await turn(heavy, "a", () => spend(limits.heavyWorkMs));
  await turn(small, "a", () => undefined);
  setImmediate(() => seen.push("request"));
  await turn(small, "a", () => seen.push("small"));
  await turn(heavy, "a", () => seen.push("heavy"));
  assert.deepEqual(seen, ["small", "request", "heavy"]);
});
