// TerraformPlans with the real Terraform: what would change, without changing anything.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Reconciled, Resources } from "../peers/resources.ts";
import { apiVersion, applyToServer, chain, startRig, withoutTerraform } from "./terraform-rig.ts";
import type { ExecutorRig } from "./terraform-rig.ts";

interface Plan extends Reconciled {
  readonly status?: Reconciled["status"] & {
    readonly add?: number;
    readonly change?: number;
    readonly remove?: number;
    readonly changes?: readonly {
      readonly address: string;
      readonly action: string;
      readonly fields: readonly JsonObject[];
    }[];
  };
}

describe("a TerraformPlan", { skip: withoutTerraform }, () => {
  let rig: ExecutorRig;
  let plans: Resources<Plan>;
  before(async () => {
    rig = await startRig();
    plans = rig.of<Plan>("TerraformPlan");
  });
  after(async () => await rig?.[Symbol.asyncDispose]());

  it("shows additions of a new stack, with fields, and changes nothing", async () => {
    const secret = "sentinel-9c11-plan";
    const main = `
variable "secret" { sensitive = true }
resource "terraform_data" "a" { input = 5 }
resource "terraform_data" "b" { input = var.secret }`;
    const spec = { source: { files: { "main.tf": main } }, secretVariables: { secret } };
    await plans.create("new", { target: "absent", spec });
    const { status } = await plans.ready("new");
    assert.deepEqual([status?.add, status?.change, status?.remove], [2, 0, 0]);
    const [a, b] = status?.changes ?? [];
    assert.deepEqual([a?.address, a?.action], ["terraform_data.a", "create"]);
    assert.deepEqual(
      a?.fields.find((field) => field["path"] === "input"),
      { path: "input", after: 5 },
    );
    assert.deepEqual(
      b?.fields.find((field) => field["path"] === "input"),
      { path: "input", isSecret: true },
    );
    assert.ok(!JSON.stringify(await plans.present("new")).includes(secret));
    assert.equal((await rig.list("terraformstates")).length, 0);
  });

  it("is refused for a user who may not read the state of its stack", async () => {
    const rules = [
      { apiGroups: ["executors.setpoint.dev"], resources: ["terraformplans"], verbs: ["create"] },
    ];
    const rbac = "rbac.authorization.k8s.io";
    const metadata = { name: "planner", namespace: "default" };
    const role = { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules };
    await applyToServer(rig.server, role);
    await applyToServer(rig.server, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "planner" },
      subjects: [{ apiGroup: rbac, kind: "User", name: "alice" }],
    });
    const spec = { target: "live", spec: chain(["a"], rig.cloud, 0) };
    const body = { apiVersion, kind: "TerraformPlan", metadata: { name: "denied" }, spec };
    const headers = { "impersonate-user": "alice" };
    const { status, body: text } = await rig.server.ask(plans.path(), {
      method: "POST",
      body,
      headers,
    });
    assert.equal(status, 403);
    assert.match(text.toString(), /permission to read-content the terraformstates live/);
  });

  it("compares with the state of its stack, and plans its destruction", async () => {
    await rig.stacks.create("live", chain(["a", "b"], rig.cloud, 0));
    await rig.stacks.ready("live");
    await plans.create("same", { target: "live", spec: chain(["a", "b"], rig.cloud, 0) });
    const same = await plans.ready("same");
    assert.deepEqual(same.status?.changes, []);
    await plans.create("less", { target: "live", spec: chain(["a"], rig.cloud, 0) });
    const less = await plans.ready("less");
    assert.deepEqual(
      less.status?.changes?.map(({ address, action }) => `${action} ${address}`),
      ["delete terraform_data.b"],
    );
    const spec = chain(["a", "b"], rig.cloud, 0);
    await plans.create("all", { target: "live", spec, destroy: true });
    const all = await plans.ready("all");
    assert.equal(all.status?.remove, 2);
    assert.deepEqual(rig.objects(), ["a", "b"]);
  });
});
