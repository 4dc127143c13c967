import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Metadata, Resource } from "../../kernel/resource.ts";
import { annotations, finalizer, nestedFinalizer, pausedFinalizer } from "../names.ts";
import { done } from "../outcome.ts";
import { planFor, requestOf } from "./plan.ts";
import type { Reconciler } from "../reconciler.ts";

const plain: Reconciler = { kind: "widgets", reconcile: async () => done() };
const whole: Reconciler = { ...plain, remove: async () => done(), observe: async () => done() };
const gone = "2026-01-01T00:00:00Z";

function widget(metadata: Partial<Metadata> = {}, status: JsonObject = {}): Resource {
  const own = { name: "a", uid: "u", generation: 2, creationTimestamp: gone };
  return { apiVersion: "v1", kind: "Widget", metadata: { ...own, ...metadata }, status };
}

function noted(notes: { readonly [name: string]: string }, more: Partial<Metadata> = {}): Resource {
  return widget({ annotations: notes, ...more });
}

const held = { finalizers: [finalizer] };
const deleting = { ...held, deletionTimestamp: gone };

describe("the plan for a resource", () => {
  it("is to reconcile it, with the finalizer first where there is something to take back", () => {
    const run = { kind: "run", what: "reconcile" };
    assert.deepEqual(planFor(widget(), plain, 1), { ...run, addsFinalizer: false });
    assert.deepEqual(planFor(widget(), whole, 1), { ...run, addsFinalizer: true });
    assert.deepEqual(planFor(widget(held), whole, 1), { ...run, addsFinalizer: false });
  });

  it("is to take back what was made when it is deleted", () => {
    const remove = { kind: "run", what: "remove", addsFinalizer: false };
    assert.deepEqual(planFor(widget(deleting), whole, 1), remove);
    assert.deepEqual(planFor(widget(deleting), plain, 1), { kind: "letGo" });
    const others = { deletionTimestamp: gone, finalizers: ["example.com/other"] };
    assert.deepEqual(planFor(widget(others), whole, 1), { kind: "nothing" });
    const around = { ...deleting, finalizers: [...deleting.finalizers, nestedFinalizer] };
    assert.deepEqual(planFor(widget(around), whole, 1), { kind: "nothing" }, "not yet");
  });

  it("is nothing at all while it is paused, even when it is deleted", () => {
    const pause = { [annotations.paused]: "true" };
    assert.deepEqual(planFor(noted(pause), whole, 1), { kind: "paused" });
    assert.deepEqual(planFor(noted(pause, deleting), whole, 1), { kind: "paused" });
    assert.equal(planFor(noted({ [annotations.paused]: "false" }), whole, 1).kind, "run");
  });

  it("is nothing under any value of the pause but false: who mistyped it wanted one", () => {
    for (const value of ["yes", "True", "FALSE", "1", ""]) {
      assert.deepEqual(planFor(noted({ [annotations.paused]: value }), whole, 1).kind, "paused");
    }
  });

  it("is to let go of what was deleted while paused, and nothing done for, once it is free", () => {
    const kept = { deletionTimestamp: gone, finalizers: [pausedFinalizer] };
    const pause = { [annotations.paused]: "true" };
    for (const reconciler of [plain, whole]) {
      assert.deepEqual(planFor(noted(pause, kept), reconciler, 1), { kind: "paused" });
      assert.deepEqual(planFor(widget(kept), reconciler, 1), { kind: "letGo" });
    }
  });

  it("is only to look under the policy skip, and to let go on deletion", () => {
    const skip = { [annotations.policy]: "skip" };
    const look = { kind: "run", what: "observe", addsFinalizer: false };
    assert.deepEqual(planFor(noted(skip), whole, 1), look);
    assert.deepEqual(planFor(noted(skip), plain, 1), { kind: "skipped" });
    assert.deepEqual(planFor(noted(skip, deleting), whole, 1), { kind: "letGo" });
  });

  it("is to let go on deletion under the policy detach-on-delete", () => {
    const detach = { [annotations.policy]: "detach-on-delete" };
    const run = { kind: "run", what: "reconcile", addsFinalizer: false };
    assert.deepEqual(planFor(noted(detach), whole, 1), run);
    assert.deepEqual(planFor(noted(detach, deleting), whole, 1), { kind: "letGo" });
  });

  it("is to manage it and to say so when the policy is not known", () => {
    const plan = planFor(noted({ [annotations.policy]: "mangae" }), whole, 1);
    assert.ok(plan.kind === "run" && plan.what === "reconcile" && plan.addsFinalizer);
    assert.match(plan.note ?? "", /unknown policy "mangae"/);
  });

  it("is to put it aside when its workers were lost again and again", () => {
    const lost = (times: number): JsonObject => ({ reconcile: { begun: { claim: 3, times } } });
    assert.equal(planFor(widget({}, lost(1)), plain, 4).kind, "run");
    const plan = planFor(widget({}, lost(2)), plain, 4);
    assert.ok(plan.kind === "putAside");
    assert.equal(plan.outcome.reason, "WorkerLost");
    assert.equal(plan.outcome.retry, "slow");
    assert.equal(planFor(widget(deleting, lost(2)), whole, 9).kind, "putAside");
    assert.equal(planFor(widget({}, lost(2)), plain, 3).kind, "run", "a report came since");
    assert.equal(planFor(widget(), plain, 9).kind, "run", "it never began");
  });

  it("is nothing once it failed for good, until something new comes", () => {
    const reconcile = { retry: "never", handledRequest: "one" };
    const failed = { observedGeneration: 2, reconcile };
    const asked = { annotations: { [annotations.request]: "one" } };
    assert.equal(planFor(widget(asked, failed), whole, 1).kind, "nothing");
    assert.equal(planFor(widget({ ...asked, generation: 3 }, failed), whole, 1).kind, "run");
    const askedAgain = { annotations: { [annotations.request]: "two" } };
    assert.equal(planFor(widget(askedAgain, failed), whole, 1).kind, "run");
    assert.equal(planFor(widget(asked, failed), { ...whole, version: 1 }, 1).kind, "run");
    assert.equal(planFor(widget({ ...asked, ...deleting }, failed), whole, 1).kind, "run");
    const looked = { ...failed, reconcile: { ...reconcile, looked: true } };
    assert.equal(planFor(widget(asked, looked), whole, 1).kind, "run");
  });

  it("does not take names from prototypes for annotations", () => {
    const odd = JSON.parse('{"__proto__":{"setpoint.dev/paused":"true"}}') as JsonObject;
    const resource = widget({ annotations: odd as { readonly [key: string]: string } });
    assert.equal(planFor(resource, plain, 1).kind, "run");
  });

  it("tells a token in full, or a digest of one that is too long", () => {
    const asked = (token: string): string | undefined =>
      requestOf(noted({ [annotations.request]: token }));
    assert.equal(asked("now"), "now");
    assert.equal(asked("t".repeat(256)), "t".repeat(256));
    assert.match(asked("t".repeat(200_000)) ?? "", /^sha256:[0-9a-f]{32}$/);
    assert.notEqual(asked("t".repeat(200_000)), asked("t".repeat(200_001)));
  });
});
