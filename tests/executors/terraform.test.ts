// The life of a TerraformStack with the real Terraform: apply, change, drift, import, restore,
// errors and destruction.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { chmod, rm, writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { condition } from "../peers/resources.ts";
import { chain, filesWith, startRig, withoutTerraform } from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

const sentinel = "sentinel-6f1c0b9e-secret";

describe("a TerraformStack", { skip: withoutTerraform }, () => {
  let rig: ExecutorRig;
  before(async () => {
    rig = await startRig();
  });
  after(async () => await rig?.[Symbol.asyncDispose]());

  const refusedToDelete = async (plural: string, name: string, why: RegExp): Promise<void> => {
    const path = `/apis/executors.setpoint.dev/v1/namespaces/default/${plural}/${name}`;
    const { status, body } = await rig.server.ask(path, { method: "DELETE" });
    assert.equal(status, 403, body.toString());
    assert.match(body.toString(), why);
  };

  it("creates its objects, shows its outputs, and destroys in the end", async () => {
    const names = ["a", "b"];
    await rig.stacks.create("life", chain(names, rig.cloud, 0));
    const ready = await rig.stacks.ready("life");
    assert.deepEqual(rig.objects(), names);
    assert.equal(ready.status?.state?.resources, 2);
    assert.deepEqual(ready.status.plan, { add: 2, change: 0, remove: 0, import: 0 });
    assert.match(textAt(ready.status.outputs, "first"), /^[0-9a-f-]{36}$/);
    const runs = await rig.list("executorruns", "executors.setpoint.dev/owner-name=life");
    assert.deepEqual(
      runs.map((run) => textAt(run, "status", "phase")),
      ["Succeeded"],
    );
    const run = textAt(runs[0], "metadata", "name");
    const logs = await rig.list("executorlogs", `executors.setpoint.dev/run=${run}`);
    const text = logs.map((log) => textAt(log, "spec", "text")).join("");
    assert.match(text, /terraform_data\.a: Creation complete/);
    assert.match(text, /Apply complete! Resources: 2 added/);
    await rig.stacks.delete("life");
    await rig.stacks.gone("life");
    assert.deepEqual(rig.objects(), []);
    assert.equal(existsSync(rig.runFolder) ? readdirSync(rig.runFolder).length : 0, 0);
  });

  it("keeps secret variables and outputs out of every record, log and file", async () => {
    const files = {
      "main.tf": `
variable "password" { sensitive = true }
variable "plain" {}
resource "terraform_data" "a" {
  input = "\${var.plain}"
  provisioner "local-exec" { command = "echo printed \${nonsensitive(var.password)}" }
}
output "password" {
  value     = "\${var.password}-output"
  sensitive = true
}
output "plain" { value = terraform_data.a.output }
`,
    };
    const spec = { source: { files }, variables: { plain: "p" } };
    await rig.stacks.create("secrets", { ...spec, secretVariables: { password: sentinel } });
    const ready = await rig.stacks.ready("secrets");
    assert.deepEqual(ready.status?.outputs, { plain: "p" });
    const name = ready.status.secretOutputs?.name ?? "";
    const { body } = await rig.server.ask(`/api/v1/namespaces/default/secrets/${name}`);
    const secret = JSON.parse(body.toString()) as { readonly data: Record<string, string> };
    const value = Buffer.from(secret.data["password"] ?? "", "base64").toString();
    assert.equal(value, `${sentinel}-output`);
    for (const kind of ["terraformstacks", "executorruns", "executorlogs", "stateversions"]) {
      assert.ok(!JSON.stringify(await rig.list(kind)).includes(sentinel), kind);
    }
    const logs = JSON.stringify(await rig.list("executorlogs"));
    assert.match(logs, /printed \[hidden\]/);
    for (const folder of [rig.server.folder, rig.runFolder]) {
      assert.deepEqual(filesWith(folder, sentinel), []);
    }
    assert.ok(!rig.server.log().includes(sentinel));
    await rig.stacks.delete("secrets");
    await rig.stacks.gone("secrets");
  });

  it("hides a secret variable that the configuration does not mark", async () => {
    const main = 'variable "key" {}\noutput "url" { value = "https://x/${var.key}" }';
    const source = { files: { "main.tf": main } };
    await rig.stacks.create("unmarked", { source, secretVariables: { key: sentinel } });
    const ready = await rig.stacks.ready("unmarked");
    assert.deepEqual(ready.status?.outputs, { url: "https://x/[hidden]" });
    await rig.stacks.delete("unmarked");
    await rig.stacks.gone("unmarked");
  });

  it("restores no state of another stack", async () => {
    const source = { files: { "main.tf": 'resource "terraform_data" "a" { input = 1 }' } };
    await rig.stacks.create("owner", { source });
    const version = (await rig.stacks.ready("owner")).status?.state?.version ?? "";
    const annotations = { "executors.setpoint.dev/restore-state": version };
    await rig.stacks.create("thief", { source: { files: { "main.tf": "" } } });
    await rig.stacks.ready("thief");
    await rig.stacks.patch("thief", { metadata: { annotations } });
    const refused = await rig.stacks.says("thief", "Synced", "RestoreFailed");
    assert.match(condition(refused, "Synced")?.message ?? "", /no StateVersion .* of this stack/);
    assert.equal(refused.status?.state?.resources ?? 0, 0);
    for (const name of ["owner", "thief"]) {
      await rig.stacks.delete(name);
      await rig.stacks.gone(name);
    }
  });

  it("reports its progress while Terraform runs", async () => {
    const gate = `${rig.cloud}/gate`;
    const command = `while [ ! -e ${gate} ]; do sleep 0.1; done`;
    const main = `
resource "terraform_data" "a" {}
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" { command = "${command}" }
}`;
    await rig.stacks.create("progress", { source: { files: { "main.tf": main } } });
    const running = await rig.stacks.until("progress", "one of two", (stack) => {
      return numberAt(stack as never, "status", "reconcile", "progress", "done") === 1;
    });
    const progress = objectAt(running as never, "status", "reconcile", "progress");
    assert.equal(numberAt(progress, "of"), 2);
    assert.match(textAt(progress, "message"), /terraform_data\.a/);
    await writeFile(gate, "");
    await rig.stacks.ready("progress");
    await rig.stacks.delete("progress");
    await rig.stacks.gone("progress");
    await rm(gate);
  });

  it("reports the diagnostics of Terraform and recovers when the spec is corrected", async () => {
    const broken = { source: { files: { "main.tf": 'resource "terraform_data" "a" { x = 1 }' } } };
    await rig.stacks.create("broken", broken);
    const failed = await rig.stacks.says("broken", "Synced", "PlanFailed");
    assert.match(condition(failed, "Synced")?.message ?? "", /Unsupported argument.*main\.tf:1/);
    const files = { "main.tf": 'resource "terraform_data" "a" { input = 1 }' };
    await rig.stacks.patch("broken", { spec: { source: { files } } });
    await rig.stacks.ready("broken");
    await rig.stacks.delete("broken");
    await rig.stacks.gone("broken");
  });

  it("imports an existing object", async () => {
    const files = { "main.tf": 'resource "terraform_data" "a" {}' };
    const imports = [{ to: "terraform_data.a", id: "existing-7" }];
    await rig.stacks.create("imported", { source: { files }, imports });
    const ready = await rig.stacks.ready("imported");
    assert.deepEqual(ready.status?.plan, { add: 0, change: 0, remove: 0, import: 1 });
    await rig.stacks.delete("imported");
    await rig.stacks.gone("imported");
  });

  it("keeps versions of its state, and restores one on request", async () => {
    const files = (value: number): object => ({
      "main.tf": `
resource "terraform_data" "a" { input = ${value} }
output "v" { value = terraform_data.a.output }`,
    });
    await rig.stacks.create("versions", { source: { files: files(1) as never } });
    const first = await rig.stacks.ready("versions");
    await refusedToDelete("terraformstates", "versions", /belongs to the TerraformStack versions/);
    await refusedToDelete("stateversions", first.status?.state?.version ?? "", /TerraformState/);
    await rig.stacks.patch("versions", { spec: { source: { files: files(2) as never } } });
    const second = await rig.stacks.until(
      "versions",
      "at 2",
      (stack) => stack.status?.outputs?.["v"] === 2,
    );
    const [one, two] = [first.status?.state, second.status?.state];
    assert.ok((two?.serial ?? 0) > (one?.serial ?? 0));
    const annotations = { "executors.setpoint.dev/restore-state": one?.version ?? "" };
    await rig.stacks.patch("versions", { metadata: { annotations } });
    const restored = await rig.stacks.until(
      "versions",
      "restored",
      (stack) => stack.status?.requests?.["restore"] === one?.version,
    );
    assert.equal(restored.status?.state?.serial, (two?.serial ?? 0) + 1);
    const versions = await rig.list("stateversions");
    const ofStack = versions.filter((each) => textAt(each, "spec", "state") === "versions");
    const from = ofStack.map((each) => textAt(each, "spec", "restoredFrom"));
    assert.ok(from.includes(one?.version ?? "none"));
    await rig.stacks.delete("versions");
    await rig.stacks.gone("versions");
  });

  it("finds drift on request, leaves it, and repairs it on request", async () => {
    // The built-in resource has no remote side: the state of another stack is the object.
    const upstream = `${rig.cloud}/upstream.tfstate`;
    const main = `
data "terraform_remote_state" "up" {
  backend = "local"
  config  = { path = "${upstream}" }
}
output "seen" { value = data.terraform_remote_state.up.outputs.v }
`;
    const state = (value: string): string =>
      JSON.stringify({
        version: 4,
        terraform_version: "1.11.4",
        serial: 1,
        lineage: "up",
        outputs: { v: { value, type: "string" } },
        resources: [],
      });
    await writeFile(upstream, state("one"));
    await chmod(upstream, 0o644);
    await rig.stacks.create("drift", { source: { files: { "main.tf": main } } });
    await rig.stacks.ready("drift");
    await writeFile(upstream, state("two"));
    const check = { "environments.setpoint.dev/check-drift": "1" };
    await rig.stacks.patch("drift", { metadata: { annotations: check } });
    const drifted = await rig.stacks.until(
      "drift",
      "drifted",
      (stack) => stack.status?.drift?.state === "Drifted",
    );
    assert.equal(drifted.status?.outputs?.["seen"], "one");
    assert.equal(condition(drifted, "Ready")?.status, "True");
    const repair = { "environments.setpoint.dev/reconcile-drift": "1" };
    await rig.stacks.patch("drift", { metadata: { annotations: repair } });
    const repaired = await rig.stacks.until(
      "drift",
      "repaired",
      (stack) => stack.status?.drift?.state === "None",
    );
    assert.equal(repaired.status?.outputs?.["seen"], "two");
    await rig.stacks.delete("drift");
    await rig.stacks.gone("drift");
    await rm(upstream);
  });
});

describe("a TerraformStack without a policy", { skip: withoutTerraform }, () => {
  it("is refused with the reason", async () => {
    await using rig = await startRig({ policy: null });
    const spec = chain(["a"], rig.cloud, 0);
    const { status, text } = await rig.stacks.tryCreate("denied", spec);
    assert.equal(status, 403);
    assert.match(text, /no ExecutorPolicy allows Terraform in the namespace default/);
  });
});
