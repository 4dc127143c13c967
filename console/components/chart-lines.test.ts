import assert from "node:assert/strict";
import { test } from "node:test";
import { chartLines, chartTop } from "./chart-lines.ts";

const scale = { width: 40, y: (value: number) => 10 - value };

test("a gap in the data is a gap in the line", () => {
  assert.deepEqual(chartLines([1, 2, null, 3, 4], scale), ["M0 9L10 8", "M30 7L40 6"]);
  assert.deepEqual(chartLines([null, 2, null, null, null], scale), ["M10 8h0.5"]);
  assert.deepEqual(chartLines([], scale), []);
});

test("the axis ends above the largest value and the threshold", () => {
  assert.equal(chartTop([44, 30]), 50);
  assert.equal(chartTop([0.29], 1), 1.5);
  assert.equal(chartTop([0, null]), 1);
  assert.ok(chartTop([990]) > 990);
});
