// The state of a resource, from what its reconciler reports.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { ArmEnvelope } from "../face.ts";
import { provisioningOf } from "./provisioning.ts";
import type { Provisioning, ProvisioningFacts } from "./provisioning.ts";

const startedAt = "2026-01-01T00:00:00Z";
const startedMs = Date.parse(startedAt);

function envelope(verb: ArmEnvelope["operation"]["verb"]): ArmEnvelope {
  return { id: "/x", name: "x", location: "", tags: {}, operation: { id: "op", verb, startedAt } };
}

function resource(status: Json, metadata: object = {}): Resource {
  return {
    apiVersion: "a/v1",
    kind: "A",
    metadata: { name: "x", uid: "u", generation: 2, creationTimestamp: startedAt, ...metadata },
    status,
  };
}

function condition(type: string, status: string, reason = "R"): Json {
  const lastTransitionTime = "2026-01-01T00:01:00Z";
  return { type, status, reason, message: "why", lastTransitionTime, observedGeneration: 2 };
}

function stateOf(
  given: Resource,
  verb: ArmEnvelope["operation"]["verb"] = "create",
  facts: Partial<ProvisioningFacts> = {},
): Provisioning {
  const usual = { isReconciled: true, nowMs: startedMs + 1_000, timeoutMs: 86_400_000 };
  return provisioningOf(given, { envelope: envelope(verb), ...usual, ...facts });
}

it("is under way until the newest generation was looked at", () => {
  assert.equal(stateOf(resource({})).state, "Creating");
  assert.equal(stateOf(resource({}), "update").state, "Updating");
  const old = { observedGeneration: 1, reconcile: { succeeded: { generation: 1, at: startedAt } } };
  assert.equal(stateOf(resource(old)).state, "Updating");
});

it("is an update once its creation has ended, though the status does not tell of that", () => {
  const created = envelope("create");
  const ended = { ...created, operation: { ...created.operation, endedAt: startedAt } };
  assert.equal(stateOf(resource({}), "create", { envelope: ended }).state, "Updating");
});

it("has succeeded when it is ready and the loop worked", () => {
  const conditions = [condition("Ready", "True"), condition("Synced", "True")];
  const reconcile = { succeeded: { generation: 2, at: "2026-01-01T00:01:00Z" } };
  const ready = { observedGeneration: 2, conditions, reconcile };
  const { state, endedAt, error } = stateOf(resource(ready));
  assert.equal(state, "Succeeded");
  assert.equal(endedAt, "2026-01-01T00:01:00Z");
  assert.equal(error, undefined);
});

it("stays succeeded when it is repaired later, and is updated when it is changed", () => {
  const conditions = [condition("Ready", "False"), condition("Synced", "True")];
  const reconcile = { succeeded: { generation: 2, at: "2026-01-01T00:00:30Z" } };
  const degraded = { observedGeneration: 2, conditions, reconcile };
  const { state, endedAt } = stateOf(resource(degraded));
  assert.equal(state, "Succeeded");
  assert.equal(endedAt, "2026-01-01T00:00:30Z");
  const changed = { ...degraded, observedGeneration: 3 };
  assert.equal(stateOf(resource(changed, { generation: 3 })).state, "Updating");
});

it("goes on while failures are tried again, and has failed when they are not", () => {
  const conditions = [condition("Ready", "False"), condition("Synced", "False", "Broken")];
  const soon = { observedGeneration: 2, conditions, reconcile: { retry: "soon" } };
  const again = stateOf(resource(soon));
  assert.equal(again.state, "Creating");
  assert.deepEqual(again.error, { code: "Broken", message: "why" });
  const never = stateOf(resource({ ...soon, reconcile: { retry: "never" } }));
  assert.equal(never.state, "Failed");
  assert.deepEqual(never.error, { code: "Broken", message: "why" });
});

it("of a deletion has failed when that said so, until it is asked for again", () => {
  const marked = { deletionTimestamp: startedAt };
  const conditions = [condition("Ready", "False"), condition("Synced", "False", "Stuck")];
  const slow = { observedGeneration: 2, conditions, reconcile: { retry: "slow" } };
  assert.equal(stateOf(resource(slow, marked), "delete").state, "Deleting");
  const final = { ...slow, reconcile: { retry: "slow", isFinal: true } };
  const { state, error, endedAt } = stateOf(resource(final, marked), "delete");
  assert.equal(state, "Failed");
  assert.deepEqual(error, { code: "Stuck", message: "why" });
  assert.equal(endedAt, "2026-01-01T00:01:00Z");
  const asked = { ...marked, annotations: { "setpoint.dev/reconcile": "op" } };
  const again = stateOf(resource(final, asked), "delete");
  assert.equal(again.state, "Deleting");
  assert.equal(again.error, undefined, "which was told of the one before");
  assert.equal(stateOf(resource(final), "update").state, "Updating", "not of anything else");
});

it("tells why the last try of the newest generation failed, or why there is none", () => {
  const synced = condition("Synced", "False", "Later") as JsonObject;
  const failing = { observedGeneration: 2, conditions: [synced], reconcile: { retry: "soon" } };
  assert.equal(stateOf(resource(failing)).error?.code, "Later");
  assert.equal(stateOf(resource(failing, { generation: 3 })).error, undefined);
  const paused = { conditions: [withoutKey(synced, "observedGeneration")] };
  assert.equal(stateOf(resource(paused, { generation: 3 })).error?.code, "Later");
});

it("has failed when it takes longer than it may", () => {
  const late = { timeoutMs: 60_000, nowMs: startedMs + 60_001 };
  const { state, error } = stateOf(resource({}), "create", late);
  assert.equal(state, "Failed");
  assert.equal(error?.code, "OperationTimedOut");
  assert.equal(error?.message, "The operation did not end in time.");
  const around = { deletionTimestamp: startedAt, finalizers: ["setpoint.dev/nested"] };
  const { error: why } = stateOf(resource({}, around), "delete", late);
  const message = "The operation did not end in time: its nested resources are not deleted.";
  assert.deepEqual(why, { code: "OperationTimedOut", message });
});

it("is given its time anew when it is changed or deleted by other means", () => {
  const time = "2026-01-03T00:00:00Z";
  const nowMs = Date.parse(time) + 1_000;
  assert.equal(stateOf(resource({}), "create", { nowMs }).state, "Failed");
  assert.equal(stateOf(resource({}), "create", { nowMs }).endedAt, "2026-01-02T00:00:00Z");
  const changed = { managedFields: [{ manager: "kubectl", operation: "Update", time }] };
  assert.equal(stateOf(resource({}, changed), "create", { nowMs }).state, "Creating");
  const reported = { managedFields: [{ ...changed.managedFields[0], subresource: "status" }] };
  assert.equal(stateOf(resource({}, reported), "create", { nowMs }).state, "Failed");
  const deleted = { deletionTimestamp: time };
  assert.equal(stateOf(resource({}, deleted), "create", { nowMs }).state, "Deleting");
});

it("waits for the run that was asked for", () => {
  const conditions = [condition("Ready", "True"), condition("Synced", "True")];
  const asked = { annotations: { "setpoint.dev/reconcile": "op" } };
  const status = { observedGeneration: 2, conditions };
  assert.equal(stateOf(resource(status, asked), "update").state, "Updating");
  const succeeded = { generation: 2, at: startedAt };
  const handled = { ...status, reconcile: { handledRequest: "op", succeeded } };
  assert.equal(stateOf(resource(handled, asked), "update").state, "Succeeded");
});

it("tells how far it is of the present generation and of the run that was asked for", () => {
  const percentOf = (progress: Json, metadata: object = {}): number | undefined =>
    stateOf(resource({ reconcile: { progress } }, metadata), "update").percent;
  assert.equal(percentOf({ generation: 2, percent: 66 }), 66);
  assert.equal(percentOf({ generation: 1, percent: 66 }), undefined);
  assert.equal(percentOf({ percent: 66 }), undefined);
  const asked = { annotations: { "setpoint.dev/reconcile": "op" } };
  assert.equal(percentOf({ generation: 2, percent: 66 }, asked), undefined);
  assert.equal(percentOf({ generation: 2, request: "op", percent: 66 }, asked), 66);
  const other = { annotations: { "setpoint.dev/reconcile": "by hand" } };
  assert.equal(percentOf({ generation: 2, percent: 66 }, other), 66);
});

it("is deleting once it is marked, and succeeds at once where nobody works on it", () => {
  const marked = { deletionTimestamp: startedAt };
  assert.equal(stateOf(resource({}, marked)).state, "Deleting");
  assert.equal(stateOf(resource({}), "create", { isReconciled: false }).state, "Succeeded");
});

it("does not mind a status that makes no sense", () => {
  for (const status of [null, 3, [], { conditions: "x", reconcile: 3, observedGeneration: "2" }]) {
    assert.equal(stateOf(resource(status)).state, "Creating");
  }
});
