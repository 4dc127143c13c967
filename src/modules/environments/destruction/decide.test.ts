import assert from "node:assert/strict";
import { test } from "node:test";
import { decideDestruction, isStillPlanned } from "./decide.ts";
import type { DestructionFacts } from "./decide.ts";
import { overduePace } from "./overdue-pace.ts";

const dueMs = 10_000_000_000;

function decided(nowMs: number, more: Partial<DestructionFacts> = {}): object {
  return decideDestruction({
    dueMs,
    nowMs,
    onDue: "Destroy",
    isProtected: false,
    remindSeconds: [7_200, 1_800],
    reminded: [],
    announcedMs: undefined,
    graceMs: 600_000,
    ...more,
  });
}

test("before the date there is one reminder for each time, and none is sent late", () => {
  const first = dueMs - 7_200_000;
  const second = dueMs - 1_800_000;
  assert.deepEqual(decided(first - 5), { kind: "wait", againMs: 5 });
  assert.deepEqual(decided(first), { kind: "remind", reminderMs: first });
  assert.deepEqual(decided(first, { reminded: [first] }), { kind: "wait", againMs: 5_400_000 });
  assert.deepEqual(decided(second + 1), { kind: "remind", reminderMs: second });
  const reminded = [first, second];
  assert.deepEqual(decided(second + 1, { reminded }), { kind: "wait", againMs: 1_799_999 });
});

test("at the date it is destroyed, unless it is protected or kept", () => {
  assert.deepEqual(decided(dueMs), { kind: "destroy", isOverdue: false });
  const skipped = { kind: "report", reason: "DestructionSkipped" };
  assert.deepEqual(decided(dueMs, { isProtected: true }), skipped);
  assert.deepEqual(decided(dueMs + 9, { isProtected: true, reminded: [dueMs + 1] }), {
    kind: "wait",
    againMs: undefined,
  });
  const kept = { kind: "report", reason: "DestructionKept" };
  assert.deepEqual(decided(dueMs, { onDue: "Keep" }), kept);
});

test("a date that passed unnoticed is announced once, and waits for the grace", () => {
  const late = dueMs + 3_600_000;
  assert.deepEqual(decided(late), { kind: "announce" });
  const announcedMs = late;
  assert.deepEqual(decided(late + 1, { announcedMs }), { kind: "wait", againMs: 599_999 });
  const after = decided(late + 600_000, { announcedMs });
  assert.deepEqual(after, { kind: "destroy", isOverdue: true });
  // An announcement of an earlier date does not count for a later one.
  assert.deepEqual(decided(late, { announcedMs: dueMs - 1 }), { kind: "announce" });
});

test("an announcement of an earlier date does not delay a later one that comes in time", () => {
  const announcedMs = dueMs - 86_400_000;
  assert.deepEqual(decided(dueMs, { announcedMs }), { kind: "destroy", isOverdue: false });
});

test("a date that was moved, cleared or protected meanwhile does not destroy", () => {
  const planned = { at: "2026-01-01T00:00:00Z" };
  assert.ok(isStillPlanned({ plannedDestruction: planned }, planned));
  const moved = { plannedDestruction: { at: "2026-01-02T00:00:00Z" } };
  for (const spec of [moved, {}, { plannedDestruction: planned, protected: true }]) {
    assert.ok(!isStillPlanned(spec, planned));
  }
});

test("overdue destructions start at a limited pace", () => {
  const pace = overduePace(2);
  assert.equal(pace.take(1_000), 0);
  assert.equal(pace.take(2_000), 0);
  assert.equal(pace.take(3_000), 58_000);
  assert.equal(pace.take(61_000), 0);
});
