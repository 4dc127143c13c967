import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { checkDriftAnnotation, decideStackWork, reconcileDriftAnnotation } from "./stack-work.ts";
import { restoreAnnotation } from "./stack-work.ts";

const nowMs = Date.parse("2026-01-01T01:00:00Z");
const stack = (given: {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly annotations?: JsonObject;
}): Resource =>
  ({
    apiVersion: "v1",
    kind: "TerraformStack",
    metadata: { name: "a", uid: "a", generation: 2, annotations: given.annotations ?? {} },
    spec: given.spec ?? {},
    status: given.status ?? { appliedGeneration: 2 },
  }) as unknown as Resource;
const kindOf = (given: Parameters<typeof stack>[0]): string =>
  decideStackWork(stack(given), nowMs).kind;

describe("a TerraformStack", () => {
  it("is applied until its generation was applied, and then left alone", () => {
    assert.equal(kindOf({ status: {} }), "apply");
    assert.equal(kindOf({ status: { appliedGeneration: 1 } }), "apply");
    assert.deepEqual(decideStackWork(stack({}), nowMs), { kind: "none", nextMs: undefined });
  });

  it("is checked for drift on request, once, and on its schedule", () => {
    const annotations = { [checkDriftAnnotation]: "1" };
    assert.equal(kindOf({ annotations }), "checkDrift");
    const requests = { checkDrift: "1" };
    assert.equal(kindOf({ annotations, status: { appliedGeneration: 2, requests } }), "none");
    const spec = { drift: { intervalSeconds: 600 } };
    const drift = { state: "None", checkedAt: "2026-01-01T00:55:00Z" };
    const work = decideStackWork(stack({ spec, status: { appliedGeneration: 2, drift } }), nowMs);
    assert.deepEqual(work, { kind: "none", nextMs: 300_000 });
    const old = { ...drift, checkedAt: "2026-01-01T00:45:00Z" };
    assert.equal(kindOf({ spec, status: { appliedGeneration: 2, drift: old } }), "checkDrift");
  });

  it("is applied after drift only on request or by its spec", () => {
    const status = { appliedGeneration: 2, drift: { state: "Drifted" } };
    assert.equal(kindOf({ status }), "none");
    assert.equal(kindOf({ status, annotations: { [reconcileDriftAnnotation]: "7" } }), "apply");
    assert.equal(kindOf({ status, spec: { drift: { reconcile: true } } }), "apply");
  });

  it("is restored before anything else", () => {
    assert.equal(kindOf({ status: {}, annotations: { [restoreAnnotation]: "a.1" } }), "restore");
  });
});
