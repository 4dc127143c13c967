import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { decideSync } from "./decide.ts";
import type { OperationState, SyncDecision, SyncFacts } from "./operation.ts";
import type { Plan } from "./plan.ts";

const commit = "a".repeat(40);
const nowMs = 1_000_000;

function plan(update = 0, problems: Plan["problems"] = []): Plan {
  const counts = { create: 0, update, unchanged: 1, prune: 0 };
  const isSynced = update === 0 && problems.length === 0;
  const nothing = { steps: [], onFailure: [], objects: [], prunes: [], held: undefined };
  return { ...nothing, problems, isSynced, counts };
}

function operation(more: Partial<OperationState> = {}): OperationState {
  return {
    id: "operation-1",
    trigger: "Automated",
    syncRun: "",
    revision: commit,
    digest: "d",
    phase: "Succeeded",
    message: "",
    step: undefined,
    results: [],
    startedAtMs: nowMs - 1_000_000,
    finishedAtMs: nowMs - 900_000,
    retryCount: 0,
    nextRetryAtMs: undefined,
    ...more,
  };
}

function decide(spec: JsonObject, more: Partial<SyncFacts> = {}): SyncDecision {
  return decideSync({
    deployment: {
      apiVersion: "v1",
      kind: "GitOpsDeployment",
      metadata: { name: "shop", namespace: "jane", uid: "u", generation: 1 } as never,
      spec: { type: "automated", ...spec },
    },
    source: { kind: "revision", name: "s", namespace: "jane", commit, ref: "" },
    plan: plan(1),
    digest: "d",
    operation: undefined,
    syncRuns: [],
    blockers: [],
    nowMs,
    ...more,
  });
}

test("an automated deployment starts a sync when something differs", () => {
  const decision = decide({});
  assert.equal(decision.kind === "start" && decision.trigger, "Automated");
  assert.equal(decide({}, { plan: plan(0) }).kind, "rest");
});

test("a manual deployment starts only SyncRuns, the oldest first", () => {
  const manual = { type: "manual" };
  assert.equal(decide(manual).kind, "rest");
  const syncRuns = ["one", "two"].map((name) => ({ name, revision: commit }));
  const decision = decide(manual, { syncRuns });
  assert.equal(decision.kind === "start" && decision.syncRun, "one");
  const ended = operation({ trigger: "SyncRun", syncRun: "one" });
  assert.equal(decide(manual, { syncRuns, operation: ended }).kind, "rest");
});

test("a running sync goes on, and a newer commit or other objects replace it", () => {
  const running = operation({ phase: "Running", startedAtMs: nowMs - 1_000 });
  assert.equal(decide({}, { operation: running }).kind, "continue");
  const older = { ...running, revision: "b".repeat(40) };
  assert.equal(decide({}, { operation: older }).kind, "replace");
  assert.equal(decide({}, { operation: running, digest: "other" }).kind, "replace");
});

test("a sync ends at its limit, and with its SyncRun", () => {
  const running = operation({ phase: "Running", startedAtMs: nowMs - 11_000 });
  const spec = { syncPolicy: { timeoutSeconds: 10 } };
  assert.equal(decide(spec, { operation: running }).kind, "terminate");
  const ofRun = { ...running, trigger: "SyncRun" as const, syncRun: "deleted" };
  assert.equal(decide({ type: "manual" }, { operation: ofRun }).kind, "terminate");
});

test("a failed sync of the same objects waits for its retry", () => {
  const failed = operation({ phase: "Failed", nextRetryAtMs: nowMs + 5_000 });
  assert.deepEqual(decide({}, { operation: failed }), {
    kind: "rest",
    untilMs: nowMs + 5_000,
    reason: "the failed sync is tried again",
  });
  const due = decide({}, { operation: { ...failed, nextRetryAtMs: nowMs } });
  assert.equal(due.kind === "start" && due.retryCount, 1);
  const final = decide({}, { operation: operation({ phase: "Failed" }) });
  assert.equal(final.kind === "rest" && final.untilMs, undefined);
});

test("a change of live objects is a self-heal, unless it is off", () => {
  const decision = decide({}, { operation: operation() });
  assert.equal(decision.kind === "start" && decision.trigger, "SelfHeal");
  const off = { syncPolicy: { selfHeal: false } };
  assert.equal(decide(off, { operation: operation() }).kind, "rest");
});

test("self-heals of one revision take longer pauses", () => {
  const healed = operation({ trigger: "SelfHeal", retryCount: 3, finishedAtMs: nowMs - 1_000 });
  const decision = decide({}, { operation: healed });
  assert.ok(decision.kind === "rest" && (decision.untilMs ?? 0) > nowMs);
});

test("a dependency holds up every start", () => {
  const blockers = [{ kind: "Dependency", message: "waits", holdsSyncRuns: true }] as const;
  assert.equal(decide({}, { blockers }).kind, "rest");
  const syncRuns = [{ name: "one", revision: commit }];
  assert.equal(decide({ type: "manual" }, { blockers, syncRuns }).kind, "rest");
});
