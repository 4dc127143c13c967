// A TerraformStack is cancelled while Terraform creates objects: gracefully, and by force.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { readFileSync, readdirSync } from "node:fs";
import { waitUntil } from "../peers/wait.ts";
import { chain, startRig, terraformProcesses, withoutTerraform } from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

describe("a TerraformStack that is cancelled", { skip: withoutTerraform }, () => {
  let rig: ExecutorRig;
  before(async () => {
    rig = await startRig();
  });
  after(async () => await rig?.[Symbol.asyncDispose]());

  const annotate = async (name: string, annotation: string, value: string): Promise<void> => {
    const annotations = { [`environments.setpoint.dev/${annotation}`]: value };
    await rig.stacks.patch(name, { metadata: { annotations } });
  };

  it("saves its state, reports Cancelled, and can be deployed again", async () => {
    await rig.stacks.create("graceful", chain(["a", "b", "c"], rig.cloud, 2));
    await waitUntil("an object", () => rig.objects().length === 1);
    await annotate("graceful", "cancel", "operation-1");
    const cancelled = await rig.stacks.says("graceful", "Synced", "Cancelled");
    assert.equal(cancelled.status?.run, undefined);
    assert.deepEqual(terraformProcesses(rig.runFolder), []);
    const states = await rig.list("terraformstates");
    assert.ok(JSON.stringify(states).includes('"serial"'));
    // Any new value asks for another run; the cancel request was handled.
    await rig.stacks.patch("graceful", {
      metadata: { annotations: { "setpoint.dev/reconcile": "again" } },
    });
    await rig.stacks.ready("graceful");
    assert.deepEqual(rig.objects(), ["a", "b", "c"]);
    await rig.stacks.delete("graceful");
    await rig.stacks.gone("graceful");
    assert.deepEqual(rig.objects(), []);
  });

  it("by force ends a program that ignores signals, and leaves no process", async () => {
    const command = "trap '' INT TERM HUP; touch ${self.input}/stubborn.1; sleep 600; sleep 600";
    const main = `
resource "terraform_data" "a" {
  input = "${rig.cloud}"
  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = "${command}"
  }
}`;
    const source = { files: { "main.tf": main } };
    await rig.stacks.create("forced", { source, cancelGraceSeconds: 600 });
    await waitUntil("the program", () => rig.objects().includes("stubborn"));
    await annotate("forced", "force-cancel", "operation-2");
    await rig.stacks.says("forced", "Synced", "Cancelled");
    assert.deepEqual(terraformProcesses(rig.runFolder), []);
    assert.deepEqual(sleepers(), []);
    await rig.stacks.delete("forced");
    await rig.stacks.gone("forced");
  });
});

/** Processes of the stubborn program. */
function sleepers(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /trap '' INT TERM HUP; touch/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      // Not a process, or it has ended.
      return false;
    }
  });
}
