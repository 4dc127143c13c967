import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../kernel/resource.ts";
import { causeOfRun, continuedCause, engineCause } from "./engine-cause.ts";

const traceId = "a".repeat(32);

function resource(generation: number, succeeded?: number, isDeleted = false): Resource {
  return {
    apiVersion: "test/v1",
    kind: "Widget",
    metadata: {
      name: "a",
      uid: "u",
      generation,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(isDeleted && { deletionTimestamp: "2026-01-02T00:00:00Z" }),
    },
    ...(succeeded !== undefined && {
      status: { reconcile: { succeeded: { generation: succeeded } } },
    }),
  };
}

test("a run continues the trace of the write that it was claimed at", () => {
  const cause = { actor: "jane", surface: "kube", traceId };
  assert.equal(continuedCause(cause, resource(1))?.traceId, traceId);
  assert.equal(
    continuedCause(cause, resource(1, 1))?.traceId,
    traceId,
    "an annotation was changed",
  );
  const named = { actor: "jane", surface: "kube", correlationId: "order-7" };
  assert.equal(continuedCause(named, resource(1))?.correlationId, "order-7");
  assert.equal(continuedCause(undefined, resource(1)), undefined);
});

test("a run continues the trace of a report until the intent has succeeded", () => {
  const report = causeOfRun(traceId);
  assert.deepEqual(report, { ...engineCause, traceId });
  assert.equal(continuedCause(report, resource(2))?.traceId, traceId);
  assert.equal(continuedCause(report, resource(2, 1))?.traceId, traceId);
  assert.equal(continuedCause(report, resource(2, 2))?.traceId, undefined);
  assert.equal(
    continuedCause(report, resource(2, 2, true))?.traceId,
    traceId,
    "a deletion is an intent",
  );
});
