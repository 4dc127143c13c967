import assert from "node:assert/strict";
import { test } from "node:test";
import { dayText } from "./day.ts";

const now = Date.UTC(2026, 10, 14, 0, 30);

test("a time of another day shows its day", () => {
  assert.equal(dayText(now - 60_000, now, "UTC"), "");
  assert.equal(dayText(now - 3_600_000, now, "UTC"), "13 Nov");
});
