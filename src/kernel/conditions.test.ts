import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition, isTrue, setCondition } from "./conditions.ts";

const start = Date.UTC(2026, 0, 1, 0, 0, 0, 999);
const ready = { type: "Ready", status: "False", reason: "Creating", message: "" } as const;

test("the transition time moves only when the status does", () => {
  const first = setCondition([], ready, start);
  assert.equal(first[0]?.lastTransitionTime, "2026-01-01T00:00:00Z");
  const reworded = setCondition(first, { ...ready, message: "almost" }, start + 5_000);
  assert.equal(reworded[0]?.message, "almost");
  assert.equal(reworded[0].lastTransitionTime, "2026-01-01T00:00:00Z");
  const done = setCondition(reworded, { ...ready, status: "True" }, start + 5_000);
  assert.equal(done[0]?.lastTransitionTime, "2026-01-01T00:00:05Z");
});

test("setting what is already there returns the same list", () => {
  const first = setCondition([], ready, start);
  assert.equal(setCondition(first, { ...ready }, start + 60_000), first);
});

test("a condition is replaced where it stands, and the list given is not changed", () => {
  const two = setCondition(setCondition([], ready, start), { ...ready, type: "Synced" }, start);
  const after = setCondition(two, { ...ready, status: "True" }, start);
  assert.deepEqual(
    after.map(({ type }) => type),
    ["Ready", "Synced"],
  );
  assert.ok(isTrue(after, "Ready") && !isTrue(two, "Ready") && !isTrue(after, "Synced"));
  assert.equal(findCondition(after, "Missing"), undefined);
  assert.ok(!isTrue(after, "Missing"));
});
