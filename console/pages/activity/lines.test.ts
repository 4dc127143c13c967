import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimelineEntry } from "../../api/insight.ts";
import { linesOf } from "./lines.ts";

function entry(revision: number, time: string, name: string, traceId = "1"): TimelineEntry {
  const cause = { actor: "admin", traceId };
  return { revision, time, type: "change", outcome: "updated", kind: "configmaps", name, cause };
}

test("repeats of a change are one line, which is about the newest", () => {
  const lines = linesOf([
    entry(3, "2026-11-14T14:41:02Z", "web"),
    entry(2, "2026-11-14T14:41:01Z", "web"),
    entry(1, "2026-11-14T14:41:00Z", "api"),
  ]);
  assert.deepEqual(
    lines.map((line) => line.kind === "entry" && [line.entry.revision, line.count]),
    [
      [3, 2],
      [1, 1],
    ],
  );
});

test("changes of two requests are two lines", () => {
  const time = "2026-11-14T14:41:00Z";
  assert.equal(linesOf([entry(3, time, "web", "2"), entry(2, time, "web", "1")]).length, 2);
});

test("ten minutes without entries are folded into a line", () => {
  const lines = linesOf([
    entry(2, "2026-11-14T14:41:00Z", "web"),
    entry(1, "2026-11-14T14:31:00Z", "api"),
    entry(0, "2026-11-14T14:30:00Z", "cache"),
  ]);
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["entry", "idle", "entry", "entry"],
  );
  assert.deepEqual(lines[1], {
    kind: "idle",
    fromMs: Date.UTC(2026, 10, 14, 14, 31),
    toMs: Date.UTC(2026, 10, 14, 14, 41),
  });
});
