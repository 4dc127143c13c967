import assert from "node:assert/strict";
import { test } from "node:test";
import { amountText, countText, plural } from "./number.ts";

test("numbers have separators, and amounts three digits", () => {
  assert.equal(countText(1284), "1,284");
  assert.deepEqual([44, 0.8333, 12_345.6, 0].map(amountText), ["44", "0.833", "12,346", "0"]);
  assert.equal(plural(1, "resource"), "1 resource");
  assert.equal(plural(0, "entry", "entries"), "0 entries");
});
