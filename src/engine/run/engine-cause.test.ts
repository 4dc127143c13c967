import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../kernel/resource.ts";
import { causeOfRun, continuedTrace, engineCause } from "./engine-cause.ts";

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
  assert.equal(continuedTrace(cause, resource(1)), traceId);
  assert.equal(continuedTrace(cause, resource(1, 1)), traceId, "an annotation was changed");
  assert.equal(continuedTrace({ actor: "jane", surface: "kube" }, resource(1)), undefined);
  assert.equal(continuedTrace(undefined, resource(1)), undefined);
});

test("a run continues the trace of a report until the intent has succeeded", () => {
  const report = causeOfRun(traceId);
  assert.deepEqual(report, { ...engineCause, traceId });
  assert.equal(continuedTrace(report, resource(2)), traceId);
  assert.equal(continuedTrace(report, resource(2, 1)), traceId);
  assert.equal(continuedTrace(report, resource(2, 2)), undefined);
  assert.equal(continuedTrace(report, resource(2, 2, true)), traceId, "a deletion is an intent");
});
