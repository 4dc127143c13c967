import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWindow } from "./window.ts";

const view = { top: 3_600, height: 720, rowHeight: 36 };

test("a long table has its visible rows and some around them in the page", () => {
  const { first, end, before, after } = visibleWindow(1_000, view);
  assert.deepEqual([first, end], [92, 128]);
  assert.equal(before + (end - first) * 36 + after, 36_000);
});

test("a short table is in the page as a whole, and a shrunken one has an end", () => {
  assert.deepEqual(visibleWindow(40, view), { first: 0, end: 40, before: 0, after: 0 });
  const shrunken = visibleWindow(61, { ...view, top: 36_000 });
  assert.equal(shrunken.end, 61);
  assert.ok(shrunken.first < 61);
});
