// Hooks run once per sync, also when the process is killed before it stores what it has done.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { referenceKey } from "../../src/modules/gitops/object-reference.ts";
import type { ObjectReference } from "../../src/modules/gitops/object-reference.ts";
import { executeStep } from "../../src/modules/gitops/sync/execute.ts";
import type { StepReport } from "../../src/modules/gitops/sync/execute.ts";
import type { SyncResult } from "../../src/modules/gitops/sync/operation.ts";
import type { PlannedHook } from "../../src/modules/gitops/sync/plan.ts";
import type { Health } from "../../src/modules/gitops/status/health.ts";
import { openFakes } from "./fakes.ts";

const at: ObjectReference = {
  group: "batch",
  version: "v1",
  kind: "Job",
  namespace: "jane",
  name: "migrate",
};
const object: JsonObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "migrate" } };

function scene(deletion: PlannedHook["deletion"], phases: PlannedHook["phases"] = ["PreSync"]) {
  const { target } = openFakes();
  const run = async (
    operationId: string,
    results: readonly SyncResult[],
    health: Health["status"] = "Healthy",
    phase: "PreSync" | "PostSync" = "PreSync",
  ): Promise<StepReport> =>
    await executeStep({
      target,
      live: new Map(target.objects),
      results,
      operationId,
      waitsForHealth: false,
      continuesAfterErrors: false,
      health: { assess: () => ({ status: health, message: "" }) },
      step: {
        phase,
        wave: 0,
        prunes: [],
        objects: [
          {
            at,
            object,
            from: { file: "hook.yaml", line: 1 },
            digest: "d",
            action: "create",
            changes: [],
            wave: 0,
            hook: { phases, deletion },
            isReplaced: false,
            pruneOptions: "",
          },
        ],
      },
    });
  return { target, run };
}

test("a hook whose result was not stored is not created a second time in its sync", async () => {
  const { target, run } = scene(["BeforeHookCreation"]);
  const first = await run("one", [], "Progressing");
  assert.equal(first.state, "waiting");
  const repeated = await run("one", []);
  assert.deepEqual([repeated.state, repeated.results[0]?.hookPhase], ["done", "Succeeded"]);
  assert.deepEqual(target.writes, ["apply Job/migrate"]);
  await run("two", []);
  const again = ["delete Job/migrate", "apply Job/migrate"];
  assert.deepEqual(target.writes, ["apply Job/migrate", ...again], "the next sync runs it");
});

test("a hook of two phases runs once in each of them", async () => {
  const { target, run } = scene(["BeforeHookCreation"], ["PreSync", "PostSync"]);
  const first = await run("one", []);
  await run("one", first.results);
  const second = await run("one", first.results, "Healthy", "PostSync");
  await run("one", second.results, "Healthy", "PostSync");
  const writes = ["apply Job/migrate", "delete Job/migrate", "apply Job/migrate"];
  assert.deepEqual(target.writes, writes);
});

for (const phase of ["Succeeded", "Failed"] as const) {
  test(`a hook with Hook${phase} is deleted after its end is stored`, async () => {
    const { target, run } = scene([`Hook${phase}`]);
    const health = phase === "Failed" ? "Degraded" : "Healthy";
    const ended = await run("one", [], health);
    assert.equal(ended.state, "waiting");
    assert.equal(ended.results[0]?.hookPhase, phase);
    assert.ok(target.objects.has(referenceKey(at)), "a kill at this time finds the object");
    const stored = await run("one", ended.results, health);
    assert.equal(stored.state, phase === "Failed" ? "failed" : "done");
    assert.deepEqual(target.writes, ["apply Job/migrate", "delete Job/migrate"]);
  });
}
