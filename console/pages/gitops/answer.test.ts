import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeploymentSpec, DeploymentStatus } from "../../api/gitops.ts";
import { answerOf, noProblemText } from "./answer.ts";
import { headlineOf } from "./headline.ts";

const commit = "4f2a1c9".padEnd(40, "0");
const synced: DeploymentStatus = {
  sync: { status: "Synced", revision: commit },
  health: { status: "Healthy" },
  summary: { objects: 12 },
};

function titleOf(status: DeploymentStatus, spec: DeploymentSpec = { type: "automated" }): string {
  const { tone, title } = answerOf({ metadata: { name: "web" }, spec, status });
  return `${tone}: ${title}`;
}

test("a deployment that is as in git says so in one sentence", () => {
  assert.equal(titleOf(synced), "ready: 12 objects, all as in 4f2a1c9");
  assert.equal(
    titleOf({ ...synced, health: { status: "Progressing" } }),
    "progressing: 12 objects as in 4f2a1c9; not all are healthy yet",
  );
  assert.equal(titleOf({}), "unknown: Not compared yet");
});

test("an error wins over everything else, and the special condition over the general one", () => {
  const conditionsThatAre = (status: string) => [
    { type: "ErrorOccurred", status, reason: "HostUnreachable" },
    { type: "ComparisonError", status, reason: "HostUnreachable" },
  ];
  const conditions = conditionsThatAre("True");
  const prune = { hash: "1", objects: 3 };
  assert.equal(titleOf({ ...synced, prune, conditions }), "failed: Not synced: HostUnreachable");
  const solved = conditionsThatAre("False");
  assert.equal(titleOf({ ...synced, conditions: solved }).split(":")[0], "ready");
  const health = { status: "Degraded", message: "Job/a failed" };
  assert.equal(titleOf({ ...synced, health }), "failed: Degraded: an object does not work");
});

test("a failed sync is never well, also when no object has a problem of its own", () => {
  const operationState = { phase: "Failed", message: "the target is read-only" };
  const status = { ...synced, operationState };
  assert.equal(titleOf(status), "failed: The last sync failed");
  const wordsOf = (shown: DeploymentStatus): string =>
    noProblemText({ metadata: { name: "web" }, spec: { type: "automated" }, status: shown });
  assert.equal(wordsOf(synced), "Every object is as in git and works.");
  assert.equal(
    wordsOf({ ...status, resources: [{ kind: "ConfigMap", name: "a", status: "Synced" }] }),
    "No listed object has a problem of its own. The last sync failed. the target is read-only",
  );
  const conditions = [{ type: "SyncError", status: "True", reason: "Refused", message: "No." }];
  assert.equal(wordsOf({ ...synced, conditions }), "No object is listed. Not synced: Refused. No.");
});

test("held deletions wait until their hash is confirmed", () => {
  const status = { ...synced, prune: { hash: "1", objects: 12 } };
  assert.equal(titleOf(status), "waiting: A sync would delete 12 objects of 12. Confirm first");
  const spec = { type: "automated", syncPolicy: { confirmPrune: "1" } };
  assert.equal(titleOf(status, spec).split(":")[0], "ready");
});

test("a window is stated while the target differs", () => {
  const window = "a sync window denies syncs until 14:00";
  const sync = { status: "OutOfSync", revision: commit };
  assert.equal(titleOf({ ...synced, window }).split(":")[0], "ready");
  assert.equal(titleOf({ ...synced, sync, window }), "waiting: Waits for a sync window");
});

test("a pin is a rollback until it has ended", () => {
  const spec = { type: "automated", pin: { revision: commit } };
  assert.equal(titleOf(synced, spec), "paused: Rolled back: it keeps 4f2a1c9");
  const pin = { revision: commit, endedAt: "2026-01-01T00:00:00Z" };
  assert.equal(titleOf({ ...synced, pin }, spec).split(":")[0], "ready");
});

test("a running sync shows its wave", () => {
  const operationState = { phase: "Running", step: { wave: 2, done: 3, of: 9 } };
  assert.equal(
    titleOf({ ...synced, operationState }),
    "progressing: Syncing, wave 2, 3 of 9 objects",
  );
});

test("the list begins with what has failed", () => {
  assert.equal(headlineOf(undefined, 0), "GitOps");
  assert.equal(headlineOf({ NotReady: 2, Ready: 1 }, 3), "2 of 3 deployments are not as in git");
  assert.equal(headlineOf({ Ready: 3 }, 3), "3 deployments, all as in git");
  assert.equal(
    headlineOf({ Failed: 1, Drifted: 1, Ready: 1 }, 3),
    "1 of 3 deployments failed; 1 is not as in git",
  );
});
