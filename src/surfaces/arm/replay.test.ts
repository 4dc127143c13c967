// When a request counts as one that was accepted before.
import assert from "node:assert/strict";
import { it } from "node:test";
import { timeText } from "../../kernel/clock.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { OperationEnd, OperationRecord } from "./operations.ts";
import { isReplay, replayMs } from "./replay.ts";

const nowMs = Date.parse("2026-11-15T12:00:00Z");
const metadata = { name: "one", uid: "u", generation: 3, creationTimestamp: timeText(0) };
const old: Resource = { apiVersion: "tests.dev/v1", kind: "Oven", metadata };

function lastOf(verb: string, more: object = {}): OperationRecord {
  const startedAt = timeText(nowMs - 10 * replayMs);
  const spec = { verb, startedAt, replay: "digest", uid: "u", generation: 3, ...more };
  return { id: "1", spec } as unknown as OperationRecord;
}

function ended(state: OperationEnd["state"], agoMs: number): OperationEnd {
  return { state, endedAt: timeText(nowMs - agoMs) };
}

const asked = { old, digest: "digest", nowMs } as const;

it("a request comes again while it is carried out, however long that takes", () => {
  const end = undefined;
  for (const verb of ["create", "update", "action", "delete"]) {
    assert.ok(isReplay({ ...asked, last: lastOf(verb), end }));
  }
});

it("a request comes again for a while after its end, and counts anew later", () => {
  for (const verb of ["create", "update", "action"]) {
    const last = lastOf(verb);
    assert.ok(isReplay({ ...asked, last, end: ended("Succeeded", replayMs - 1_000) }));
    assert.ok(!isReplay({ ...asked, last, end: ended("Succeeded", replayMs) }));
    // Of an end without a time nobody knows how long ago it was.
    assert.ok(!isReplay({ ...asked, last, end: { state: "Succeeded", endedAt: undefined } }));
  }
});

it("what failed is tried anew, except a creation", () => {
  const end = ended("Failed", 1_000);
  assert.ok(isReplay({ ...asked, last: lastOf("create"), end }));
  for (const verb of ["update", "action", "delete"]) {
    assert.ok(!isReplay({ ...asked, last: lastOf(verb), end }));
  }
});

it("another digest, resource or generation is another request", () => {
  const end = undefined;
  assert.ok(!isReplay({ ...asked, last: undefined, end }));
  assert.ok(!isReplay({ ...asked, digest: undefined, last: lastOf("update"), end }));
  for (const more of [{ replay: "other" }, { uid: "other" }, { generation: 2 }]) {
    assert.ok(!isReplay({ ...asked, last: lastOf("update", more), end }));
  }
});
