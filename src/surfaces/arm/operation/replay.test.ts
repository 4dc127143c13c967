// When a request counts as one that was accepted before.
import assert from "node:assert/strict";
import { it } from "node:test";
import { timeText } from "../../../kernel/clock.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type {
  OperationEnd,
  OperationRecord,
} from "../../../modules/resource-provider/operations/record.ts";
import { isReplay, replayMs, requestDigest } from "./replay.ts";
import type { ArmRequest } from "../request/arm-request.ts";

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

it("a request is known by its sender, id, method, path, version and body", () => {
  const request = (given: {
    user?: string;
    client?: string;
    method?: string;
    version?: string;
  }) => {
    const { user = "ann", client = "id", method = "PUT", version = "2026-01-01" } = given;
    return {
      user: { name: user },
      ids: { client },
      exchange: { method },
      query: new Map([["api-version", version]]),
    } as unknown as ArmRequest;
  };
  const first = requestDigest(request({}), "/a/b", { a: 1, b: 2 });
  assert.equal(requestDigest(request({ client: "ID" }), "/A/b", { b: 2, a: 1 }), first);
  const others = [{ user: "bob" }, { client: "2" }, { method: "PATCH" }, { version: "2026-02-01" }];
  for (const other of others) {
    assert.notEqual(requestDigest(request(other), "/a/b", { a: 1, b: 2 }), first);
  }
  assert.notEqual(requestDigest(request({}), "/a/c", { a: 1, b: 2 }), first);
  assert.notEqual(requestDigest(request({}), "/a/b", { a: 1, b: 3 }), first);
});
