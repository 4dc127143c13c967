import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { gitopsLimits } from "../limits.ts";
import { referenceOf } from "../object-reference.ts";
import { healthEngine } from "./health-engine.ts";
import type { Health } from "./health.ts";

interface Sample {
  readonly live: JsonObject;
  readonly checks?: readonly JsonObject[];
  readonly healthRules?: readonly JsonObject[];
  readonly isReconciled?: boolean;
}

function rulesOf(
  sample: Omit<Sample, "live">,
): ReturnType<ReturnType<typeof healthEngine>["rulesFor"]> {
  const { checks = [], healthRules = [], isReconciled = false } = sample;
  const engine = healthEngine({
    healthRules: () => healthRules.map((rule) => ({ rules: [rule] })),
    isReconciled: () => isReconciled,
  });
  return engine.rulesFor({ healthChecks: checks });
}

function healthOf({ live, ...sample }: Sample): Health | undefined {
  return rulesOf(sample).assess(referenceOf(live, ""), live);
}

const statusOf = (sample: Sample): string | undefined => healthOf(sample)?.status;

const widget = (parts: JsonObject): JsonObject => ({
  apiVersion: "example.dev/v1",
  kind: "Widget",
  ...parts,
});
const byPhase: JsonObject = {
  group: "example.dev",
  kind: "Widget",
  healthy: "object.status.phase == 'Up'",
  degraded: "object.status.phase == 'Broken'",
  suspended: "has(object.spec) && object.spec.stopped",
  message: "'phase ' + object.status.phase",
};

test("an absent object is Missing, and a kind without a rule has no health", () => {
  const live = widget({});
  assert.equal(rulesOf({}).assess(referenceOf(live, ""), undefined)?.status, "Missing");
  assert.equal(healthOf({ live }), undefined);
});

test("deletion, a pause and an unseen change count before every rule", () => {
  const checks = [{ kind: "Widget", healthy: "true" }];
  const metadata = { generation: 3 };
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const annotations = { "setpoint.dev/paused": "true" };
  assert.equal(statusOf({ live: widget({ metadata }), checks }), "Healthy");
  const deleted = widget({ metadata: { ...metadata, deletionTimestamp, annotations } });
  assert.equal(statusOf({ live: deleted, checks }), "Progressing");
  const paused = widget({ metadata: { annotations } });
  assert.equal(statusOf({ live: paused, checks }), "Suspended");
  const behind = widget({ metadata, status: { observedGeneration: 2 } });
  assert.equal(statusOf({ live: behind, checks }), "Progressing");
  const seen = widget({ metadata, status: { observedGeneration: 3 } });
  assert.equal(statusOf({ live: seen, checks }), "Healthy");
});

test("a rule in CEL decides, with what is wrong first", () => {
  const of = (parts: JsonObject): Health | undefined =>
    healthOf({ live: widget(parts), healthRules: [byPhase] });
  const at = (phase: string, spec: JsonObject = { stopped: false }): Health | undefined =>
    of({ spec, status: { phase } });
  assert.deepEqual(at("Up"), { status: "Healthy", message: "phase Up" });
  assert.deepEqual(at("Broken", { stopped: true }), {
    status: "Degraded",
    message: "phase Broken",
  });
  assert.equal(at("Up", { stopped: true })?.status, "Suspended");
  assert.deepEqual(at("Starting"), { status: "Progressing", message: "phase Starting" });
});

test("a field that does not exist yet is not a failure", () => {
  const found = healthOf({ live: widget({ spec: { stopped: false } }), healthRules: [byPhase] });
  assert.equal(found?.status, "Progressing");
  assert.match(found?.message ?? "", /no such key: status/);
});

test("a rule of the deployment counts before a HealthRule, which counts before the table", () => {
  const rule = { kind: "Job", healthy: "true", message: "'of a HealthRule'" };
  const check = { group: "batch", kind: "Job", healthy: "true", message: "'of the deployment'" };
  const live = { apiVersion: "batch/v1", kind: "Job" };
  assert.equal(statusOf({ live }), "Progressing");
  assert.equal(healthOf({ live, healthRules: [rule] })?.message, "of a HealthRule");
  const both = { live, healthRules: [rule], checks: [check] };
  assert.equal(healthOf(both)?.message, "of the deployment");
  const other = { live, checks: [{ ...check, group: "other.dev" }] };
  assert.equal(statusOf(other), "Progressing");
});

test("a rule that fails gives Unknown with the reason", () => {
  const unknown = (healthy: string, why: RegExp): void => {
    const live = widget({ spec: { size: 1, items: [1, 2, 3] } });
    const found = healthOf({ live, checks: [{ kind: "Widget", healthy }] });
    assert.equal(found?.status, "Unknown");
    assert.match(found?.message ?? "", why);
  };
  unknown("object.spec.size", /^healthy: the result is not a boolean/);
  unknown("1 / (object.spec.size - 1) == 1", /^healthy: divi/);
  unknown("object.spec.", /^healthy: compilation failed/);
  unknown("'text'", /^healthy: must evaluate to bool/);
});

test("rules that need too much work give Unknown, for one object and for all of a run", () => {
  const items = Array.from({ length: 2_000 }, (_, index) => index);
  const live = widget({ spec: { items } });
  const at = referenceOf(live, "");
  const slow = "object.spec.items.all(a, object.spec.items.all(b, a + b >= 0))";
  const rules = rulesOf({ checks: [{ kind: "Widget", healthy: slow }] });
  assert.equal(rules.assess(at, live)?.status, "Unknown");

  const quick = rulesOf({
    checks: [{ kind: "Widget", healthy: "object.spec.items.all(a, a >= 0)" }],
  });
  let count = 0;
  while (quick.assess(at, live)?.status === "Healthy") count += 1;
  assert.ok(count > 100 && count < gitopsLimits.maxHealthUnits);
  assert.match(quick.assess(at, live)?.message ?? "", /too much work/);
});

test("a rule sees no value of a Secret", () => {
  const live = { apiVersion: "v1", kind: "Secret", data: { key: "c2FtcGxl" } };
  const message = "has(object.data) ? object.data.key : 'hidden'";
  const found = healthOf({ live, checks: [{ kind: "Secret", healthy: "true", message }] });
  assert.deepEqual(found, { status: "Healthy", message: "hidden" });
});

test("a long message is cut", () => {
  const message = "object.spec.text";
  const live = widget({ spec: { text: "a".repeat(5_000) } });
  const found = healthOf({ live, checks: [{ kind: "Widget", healthy: "true", message }] });
  assert.equal(found?.message.length, gitopsLimits.maxHealthMessageChars);
});

test("resources of a Setpoint server have the health that their conditions state", () => {
  const of = (conditions: readonly JsonObject[], isReconciled = true): Health | undefined => {
    const live = widget({ metadata: { generation: 2 }, status: { conditions } });
    return healthOf({ live, isReconciled });
  };
  const ready = { type: "Ready", status: "True", observedGeneration: 2 };
  const synced = { type: "Synced", status: "True", observedGeneration: 2 };
  assert.equal(of([])?.status, "Progressing");
  assert.equal(of([ready, synced])?.status, "Healthy");
  assert.equal(of([{ ...ready, observedGeneration: 1 }, synced])?.status, "Progressing");
  const failed = { ...synced, status: "False", message: "the host does not answer" };
  const waiting = { ...ready, status: "False", message: "waits for a parent" };
  assert.deepEqual(of([waiting, synced]), { status: "Progressing", message: waiting.message });
  assert.deepEqual(of([waiting, failed]), { status: "Degraded", message: failed.message });
  // A failure for an earlier spec says nothing about this one.
  assert.equal(of([waiting, { ...failed, observedGeneration: 1 }])?.status, "Progressing");
  assert.equal(of([ready], false), undefined);
  assert.equal(of([ready, synced], false)?.status, "Healthy");
});
