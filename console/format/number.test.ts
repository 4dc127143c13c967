import assert from "node:assert/strict";
import { test } from "node:test";
import { amountText, countText, measureOf, plural } from "./number.ts";

test("numbers have separators, and amounts three digits", () => {
  assert.equal(countText(1284), "1,284");
  assert.deepEqual([44, 0.8333, 12_345.6, 0].map(amountText), ["44", "0.833", "12,346", "0"]);
  assert.equal(plural(1, "resource"), "1 resource");
  assert.equal(plural(0, "entry", "entries"), "0 entries");
});

test("short times are in milliseconds, and other measures keep their unit", () => {
  assert.deepEqual(measureOf(0.000_977, "s"), ["0.977", "ms"]);
  assert.deepEqual(measureOf(2.48, "s"), ["2.48", "s"]);
  assert.deepEqual(measureOf(0, "s"), ["0", "s"]);
  assert.deepEqual(measureOf(0.2, "/s"), ["0.2", "/s"]);
});
