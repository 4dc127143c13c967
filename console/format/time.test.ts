import assert from "node:assert/strict";
import { test } from "node:test";
import { clockText, dateText, longSpanText, spanText, timeText } from "./time.ts";

const now = Date.UTC(2026, 10, 14, 16, 49, 10);

test("a span has one unit, and a countdown two", () => {
  assert.deepEqual([-5, 84, 38_400, 720_000, 11_000_000, 90_000_000, 800_000_000].map(spanText), [
    "0 ms",
    "84 ms",
    "38 s",
    "12 min",
    "3 h",
    "25 h",
    "9 d",
  ]);
  assert.equal(longSpanText(11_520_000), "3 h 12 min");
  assert.equal(longSpanText(200_000_000), "2 d 7 h");
});

test("a time is relative below a day and a date above it", () => {
  assert.equal(timeText(now - 38_000, now, "UTC"), "38 s ago");
  assert.equal(timeText(now + 38_000, now, "UTC"), "in 38 s");
  assert.equal(timeText(now - 300, now, "UTC"), "now");
  assert.equal(timeText(now - 86_400_000, now, "UTC"), "13 Nov 2026 16:49");
  assert.equal(dateText(now, "UTC"), "14 Nov 2026 16:49");
  assert.equal(clockText(now, "UTC"), "16:49:10");
  assert.equal(clockText(now, "UTC", false), "16:49");
});
