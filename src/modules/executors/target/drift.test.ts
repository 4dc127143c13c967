import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { checkDriftAnnotation, reconcileDriftAnnotation } from "./annotations.ts";
import { driftStatus, unknownDrift } from "./drift.ts";

const before = "2026-01-01T00:00:00Z";
const nowMs = Date.parse("2026-01-01T01:00:00Z");

function target(annotations: Readonly<Record<string, string>>): Resource {
  return {
    apiVersion: "executors.setpoint.dev/v1",
    kind: "HttpCall",
    metadata: { name: "a", uid: "u", annotations },
    status: { drift: { state: "None", checkedAt: before, items: [] } },
  } as unknown as Resource;
}

describe("the time of a drift check", () => {
  const timeOf = (status: unknown): string => textAt(status as Resource, "drift", "checkedAt");

  it("is kept while nothing is requested and nothing is found", () => {
    assert.equal(timeOf(driftStatus(target({}), [], nowMs)), before);
    assert.equal(timeOf(unknownDrift(target({}), nowMs)), before);
  });

  it("is new for each request, which waits for it, also when the drift is unknown", () => {
    for (const annotation of [checkDriftAnnotation, reconcileDriftAnnotation]) {
      const asked = target({ [annotation]: "operation-1" });
      assert.equal(timeOf(driftStatus(asked, [], nowMs)), "2026-01-01T01:00:00Z");
      assert.equal(timeOf(unknownDrift(asked, nowMs)), "2026-01-01T01:00:00Z");
    }
  });
});
