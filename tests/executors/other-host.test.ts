// A run of a machine that is lost. The test replaces the name of the machine in the status, as if
// another machine had begun the run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { condition } from "../peers/resources.ts";
import { startRig, terraformProcesses, withoutTerraform } from "./terraform-rig.ts";
import type { Stack } from "./terraform-rig.ts";

describe("a run of another machine", { skip: withoutTerraform }, () => {
  it("is waited for, is then interrupted, and lists what may have to be imported", async () => {
    await using rig = await startRig();
    const files = (...names: readonly string[]): { readonly "main.tf": string } => ({
      "main.tf": names.map((name) => `resource "terraform_data" "${name}" {}`).join("\n"),
    });
    await rig.stacks.create("lost", { source: { files: files("a") }, cancelGraceSeconds: 1 });
    const first = await rig.stacks.ready("lost");
    await rig.stacks.patch("lost", { spec: { source: { files: files("a", "b") } } });
    const isApplied = (stack: Stack): boolean => stack.status?.state?.resources === 2;
    await rig.stacks.until("lost", "applied", isApplied);
    const runs = await rig.list("executorruns", "executors.setpoint.dev/owner-name=lost");
    const times = runs.map((run) => textAt(run, "status", "startedAt")).toSorted();
    const last = runs.find((run) => textAt(run, "status", "startedAt") === times.at(-1));
    // As if the last state had not been stored.
    const annotations = {
      "executors.setpoint.dev/restore-state": first.status?.state?.version ?? "",
    };
    await rig.stacks.patch("lost", { metadata: { annotations } });
    const isRestored = (stack: Stack): boolean => stack.status?.requests?.["restore"] !== undefined;
    await rig.stacks.until("lost", "restored", isRestored);
    const run = {
      name: textAt(last, "metadata", "name"),
      action: "apply",
      phase: "Running",
      host: "elsewhere another-boot",
      folder: "/nowhere",
    };
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { status: { run, appliedGeneration: null } };
    const path = `${rig.stacks.path("lost")}/status`;
    const { status } = await rig.server.ask(path, { method: "PATCH", body, headers });
    assert.equal(status, 200);
    await rig.stacks.patch("lost", { metadata: { annotations: { look: "again" } } });
    const waiting = await rig.stacks.says("lost", "Ready", "WaitingForOtherHost");
    assert.match(condition(waiting, "Ready")?.message ?? "", /another machine \(elsewhere\)/);
    assert.deepEqual(terraformProcesses(rig.runFolder), []);
    const after = await rig.stacks.ready("lost");
    assert.deepEqual(
      after.status?.importCandidates?.map(({ address }) => address),
      ["terraform_data.b"],
    );
    const ended = await rig.of("ExecutorRun").present(run.name);
    assert.match(JSON.stringify(ended), /"phase":"Interrupted"/);
  });
});
