import assert from "node:assert/strict";
import { test } from "node:test";
import { groupEvents } from "./grouped-events.ts";

const event = (uid: string, at: string, parts: object) => ({
  metadata: { uid, creationTimestamp: at },
  firstTimestamp: at,
  lastTimestamp: at,
  ...parts,
});

test("repeats are one line with their number, and the newest line is first", () => {
  const failed = { type: "Warning", reason: "CreateFailed", message: "quota", count: 2 };
  const groups = groupEvents([
    event("1", "2026-01-01T10:00:00Z", failed),
    event("2", "2026-01-01T10:05:00Z", { type: "Normal", reason: "Step", message: "x" }),
    event("3", "2026-01-01T10:09:00Z", failed),
  ]);
  assert.deepEqual(
    groups.map(({ reason, count, isWarning }) => [reason, count, isWarning]),
    [
      ["CreateFailed", 4, true],
      ["Step", 1, false],
    ],
  );
  assert.equal(groups[0]?.firstMs, Date.parse("2026-01-01T10:00:00Z"));
});
