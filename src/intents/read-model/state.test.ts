import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { isProblem, judge } from "./state.ts";

function resource(status: JsonObject, metadata: JsonObject = {}): Resource {
  const given = { name: "x", uid: "u", generation: 2, creationTimestamp: "2026-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "X", metadata: { ...given, ...metadata }, status };
}

const condition = (type: string, status: string, reason: string, more: JsonObject = {}) => ({
  type,
  status,
  reason,
  ...more,
});
const conditions = (...list: readonly JsonObject[]): JsonObject => ({ conditions: list });

describe("the state of a resource", () => {
  const cases: readonly (readonly [string, Resource, boolean, string, string])[] = [
    ["ready", resource(conditions(condition("Ready", "True", "Done"))), true, "Ready", "Done"],
    [
      "ready for an earlier generation",
      resource(conditions(condition("Ready", "True", "Done", { observedGeneration: 1 }))),
      true,
      "Progressing",
      "SpecChanged",
    ],
    [
      "failed after a change, and ready for an earlier generation",
      resource(
        conditions(
          condition("Ready", "True", "Done", { observedGeneration: 1 }),
          condition("Synced", "False", "Refused", { observedGeneration: 2 }),
        ),
      ),
      true,
      "Failed",
      "Refused",
    ],
    [
      "in progress",
      resource(conditions(condition("Ready", "False", "InProgress"))),
      true,
      "Progressing",
      "InProgress",
    ],
    [
      "failed, although the run that saw it succeeded",
      resource(
        conditions(condition("Ready", "False", "Failed"), condition("Synced", "True", "Done")),
      ),
      true,
      "Failed",
      "Failed",
    ],
    [
      "changed after what it reconciles failed",
      resource(conditions(condition("Ready", "False", "Failed", { observedGeneration: 1 }))),
      true,
      "Progressing",
      "Failed",
    ],
    [
      "waiting",
      resource(conditions(condition("Ready", "False", "Waiting"))),
      true,
      "Waiting",
      "Waiting",
    ],
    [
      "failed",
      resource(
        conditions(condition("Ready", "False", "Waiting"), condition("Synced", "False", "Refused")),
      ),
      true,
      "Failed",
      "Refused",
    ],
    [
      "not ready",
      resource(conditions(condition("Ready", "False", "Broken"))),
      false,
      "NotReady",
      "Broken",
    ],
    ["not reported", resource({}), true, "Unknown", "NotReported"],
    ["stored", resource({}), false, "Stored", ""],
    [
      "deleting",
      resource(conditions(condition("Ready", "True", "Done")), {
        deletionTimestamp: "2026-01-01T00:00:00Z",
      }),
      true,
      "Deleting",
      "Deleting",
    ],
    ["status of another shape", resource({ conditions: "none" }), true, "Unknown", "NotReported"],
  ];
  for (const [title, given, isReconciled, state, reason] of cases) {
    it(`is ${state} when it is ${title}`, () => {
      assert.deepEqual(judge(given, isReconciled), { state, reason });
    });
  }

  it("is a problem unless the resource is ready or only stored", () => {
    assert.deepEqual((["Ready", "Stored", "Failed", "Deleting"] as const).map(isProblem), [
      false,
      false,
      true,
      true,
    ]);
  });
});
