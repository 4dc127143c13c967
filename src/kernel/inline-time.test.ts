import assert from "node:assert/strict";
import { test } from "node:test";
import { tick, withinInlineTime, withinUnits } from "./inline-time.ts";

test("work within its time returns its result", () => {
  assert.deepEqual(
    withinInlineTime(60_000, () => {
      for (let at = 0; at < 100_000; at++) tick();
      return ["done"];
    }),
    ["done"],
  );
});

test("work beyond its time is given up, and later work has no limit", () => {
  const endless = (): never => {
    for (;;) tick(10);
  };
  assert.equal(withinInlineTime(1, endless), undefined);
  for (let at = 0; at < 100_000; at++) tick();
});

test("errors of the work are thrown", () => {
  const broken = (): never => {
    throw new Error("broken");
  };
  assert.throws(() => withinInlineTime(60_000, broken), /broken/);
});

test("work within its units returns them with its result", () => {
  const work = (): string => {
    for (let at = 0; at < 10_000; at++) tick(2);
    return "done";
  };
  assert.deepEqual(withinUnits(20_000, work), { result: "done", units: 20_000 });
  assert.equal(withinUnits(19_999, work), undefined);
});

test("work beyond its units is ended, and later work has no limit", () => {
  const endless = (): never => {
    for (;;) tick();
  };
  assert.equal(withinUnits(100_000, endless), undefined);
  for (let at = 0; at < 1_000_000; at++) tick();
});
