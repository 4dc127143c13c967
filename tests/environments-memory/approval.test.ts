// Approving a Plan of another deployment than the present one carries exactly that one out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { numberAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { apiVersion, machine, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const parameters = { size: { type: "integer", default: 1 } };
const at = { apiVersion, kind: "Environment", namespace: "team", name: "e" };

async function deployed(rig: Rig, permissions = {}): Promise<void> {
  const resources = [machine("db", {}, { size: "${parameters.size}" })];
  await rig.template(resources, { parameters, permissions });
  await rig.create("Template", "t.v2", {
    id: "t",
    version: 2,
    parameters,
    permissions,
    resources: [...resources, machine("cache")],
  });
  await rig.environment();
  await rig.pass();
  await rig.ready("e.db");
  await rig.pass(5_000);
}

for (const approval of ["Automatic", "Required"]) {
  test(`an approved Plan of a new version is carried out with approval ${approval}`, async () => {
    await using rig = await openRig();
    await deployed(rig);
    await rig.patch("Environment", "e", { spec: { approval } });
    await rig.pass(5_000);
    const spec = { environment: "e", templates: ["t.v2"], parameters: { size: 3 } };
    await rig.create("Plan", "p", spec);
    await rig.pass();
    assert.equal(numberAt((await rig.read("Machine", "e.db"))?.spec, "size"), 1);
    await rig.patch("Environment", "e", { spec: { approvedPlan: "p" } });
    await rig.pass(5_000);
    assert.deepEqual(await rig.machines(), ["e.cache", "e.db"]);
    assert.equal(numberAt((await rig.read("Machine", "e.db"))?.spec, "size"), 3);
    const environment = await rig.read("Environment", "e");
    assert.deepEqual(textsAt(environment?.spec, "templates"), ["t.v2"]);
    assert.equal(numberAt(environment?.spec, "parameters", "size"), 3);
  });
}

test("the user who made a Plan cannot approve it where the Template requires another", async () => {
  await using rig = await openRig();
  await deployed(rig, { selfApproval: false });
  await rig.create("Plan", "p", { environment: "e", templates: ["t.v2"] });
  await rig.pass(5_000);
  const patch = { spec: { approvedPlan: "p" } };
  await assert.rejects(rig.patch("Environment", "e", patch), /requires another user/);
  await rig.as("second", ["system:masters"]).patch(at, patch);
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), ["e.cache", "e.db"]);
});

test("a Plan cannot be approved together with another change of the deployment", async () => {
  await using rig = await openRig();
  await deployed(rig);
  await rig.create("Plan", "p", { environment: "e", templates: ["t.v2"] });
  await rig.pass(5_000);
  const spec = { approvedPlan: "p", parameters: { size: 9 } };
  await assert.rejects(
    rig.patch("Environment", "e", { spec }),
    /stale: this request has another deployment/,
  );
});

test("an approved Plan of a destruction destroys", async () => {
  await using rig = await openRig();
  await deployed(rig);
  await rig.create("Plan", "p", { environment: "e", destroy: true });
  await rig.pass(5_000);
  await rig.patch("Environment", "e", { spec: { approvedPlan: "p" } });
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), []);
  assert.equal(textAt((await rig.read("Environment", "e"))?.status, "phase"), "Destroyed");
});
