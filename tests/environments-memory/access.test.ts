// What a user cannot reach through an Environment that the user cannot reach directly.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { apiVersion, machine, machineVersion, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const rbac = "rbac.authorization.k8s.io";
const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const ours = { ...all, apiGroups: ["environments.setpoint.dev"] };

async function allow(rig: Rig, subject: JsonObject, rule: JsonObject): Promise<void> {
  const name = `${textAt(subject, "kind")}-${textAt(subject, "name")}`.toLowerCase();
  const metadata = { name, namespace: "team" };
  const roles = { apiVersion: `${rbac}/v1`, metadata };
  await rig.memory.create({ ...roles, kind: "Role", rules: [rule] });
  const roleRef = { apiGroup: rbac, kind: "Role", name };
  await rig.memory.create({ ...roles, kind: "RoleBinding", roleRef, subjects: [subject] });
}

function account(name: string): JsonObject {
  return { kind: "ServiceAccount", name, namespace: "team" };
}

function user(name: string): JsonObject {
  return { kind: "User", name, apiGroup: rbac };
}

function named(kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion, kind, metadata: { name, namespace: "team" }, spec };
}

const environmentPlace = { apiVersion, kind: "Environment", namespace: "team", name: "e" };

test("a Template cannot create an Environment or a record with another account", async () => {
  await using rig = await openRig();
  await allow(rig, account("environment"), ours);
  await allow(rig, account("boss"), all);
  await rig.template([machine("x")], { id: "inner" });
  const nested = { templates: ["inner.v1"], serviceAccountName: "boss" };
  const record = { environment: "e", template: "inner.v1", key: "x", serviceAccountName: "boss" };
  const inner = { apiVersion, kind: "Environment", metadata: { name: "inner" }, spec: nested };
  await rig.template([
    { key: "nested", template: inner },
    { key: "record", template: { ...inner, kind: "EnvironmentResource", spec: record } },
  ]);
  await rig.environment();
  await rig.pass(5_000);
  assert.deepEqual(await rig.machines(), []);
  const { status } = (await rig.read("EnvironmentResource", "e.nested")) ?? {};
  assert.match(textAt(status, "message"), /may not act as the ServiceAccount "boss"/);
  const refused = await rig.read("EnvironmentResource", "e.record");
  assert.match(textAt(refused?.status, "message"), /only this server writes/);
});

test("a Template keeps its permissions when an Environment leaves it", async () => {
  await using rig = await openRig();
  const permissions = { deploy: { users: ["alice"] }, destroy: { users: ["alice"] } };
  await rig.template([machine("a")], { permissions });
  await rig.template([machine("z")], { id: "free" });
  await allow(rig, user("alice"), all);
  await allow(rig, user("mallory"), all);
  await rig.as("alice").create(named("Environment", "e", { templates: ["t.v1"] }));
  const mallory = rig.as("mallory");
  const free = { templates: ["free.v1"] };
  await assert.rejects(
    mallory.patch(environmentPlace, { spec: free }),
    /may not deploy the Template t\.v1/,
  );
  await assert.rejects(
    mallory.patch(environmentPlace, { spec: { ...free, desired: "Destroyed" } }),
    /may not (deploy|destroy) the Template t\.v1/,
  );
  await rig.as("alice").patch(environmentPlace, { spec: free });
});

test("an ExternalResource shows outputs only of what its author may read", async () => {
  await using rig = await openRig();
  await allow(rig, user("mallory"), ours);
  const machineOf = { apiVersion: machineVersion, kind: "Machine", name: "m" };
  const metadata = { name: "m", namespace: "team" };
  await rig.memory.create({ apiVersion: machineVersion, kind: "Machine", metadata, spec: {} });
  const external = named("ExternalResource", "x", { resource: machineOf });
  await assert.rejects(rig.as("mallory").create(external), /spec\.resource: .*cannot get/);
  const unknown = { ...machineOf, kind: "Unknown" };
  await assert.rejects(
    rig.create("ExternalResource", "x", { resource: unknown }),
    /spec\.resource\.kind: .*install its definition/,
  );
  await rig.as("admin", ["system:masters"]).create(external);
});

test("users do not take the names of Operations and groups of the server", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.environment({}, "f");
  await rig.pass();
  await assert.rejects(
    rig.create("Operation", "e.deploy-2", { environment: "f", type: "CheckDrift" }),
    /metadata\.name: .*must not contain a dot/,
  );
  await assert.rejects(
    rig.create("ResourceGroup", "e.web", { resources: [] }),
    /metadata\.name: .*must not contain a dot/,
  );
});

test("an EnvironmentResource is not deleted by hand", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b", { dependsOn: ["a"] })]);
  await rig.environment();
  await rig.pass();
  await assert.rejects(
    rig.remove("EnvironmentResource", "e.a"),
    /belongs to the Environment e: delete the Environment/,
  );
});

test("the requester of a change cannot be forged, and does not approve it", async () => {
  await using rig = await openRig();
  const parameters = { n: { type: "integer", default: 1 } };
  await rig.template([machine("a", {}, { n: "${parameters.n}" })], {
    parameters,
    permissions: { approval: "Required", selfApproval: false },
  });
  for (const name of ["alice", "bob"]) await allow(rig, user(name), all);
  const [alice, bob] = [rig.as("alice"), rig.as("bob")];
  await alice.create(named("Environment", "e", { templates: ["t.v1"] }));
  const requestedBy = "environments.setpoint.dev/requested-by";
  await alice.patch(environmentPlace, { metadata: { annotations: { [requestedBy]: "bob" } } });
  const { metadata } = (await rig.read("Environment", "e")) ?? {};
  assert.equal(metadata?.annotations?.[requestedBy], "alice");
  await rig.pass();
  await bob.create(named("Plan", "p", { environment: "e" }));
  await rig.pass();
  const approval = { spec: { approvedPlan: "p" } };
  await assert.rejects(alice.patch(environmentPlace, approval), /"alice" requested the change/);
});

test("a rollback needs the permissions of the Templates that it restores", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")], { permissions: { deploy: { users: ["alice"] } } });
  await rig.template([machine("a")], { version: 2 });
  for (const name of ["alice", "mallory"]) await allow(rig, user(name), all);
  await rig.as("alice").create(named("Environment", "e", { templates: ["t.v1"] }));
  await rig.pass();
  await rig.as("alice").patch(environmentPlace, { spec: { templates: ["t.v2"] } });
  await rig.pass();
  const back = named("Operation", "back", { environment: "e", type: "Rollback", to: "e.deploy-1" });
  await assert.rejects(rig.as("mallory").create(back), /may not deploy the Template t\.v1/);
});

test("only a user who may approve plans ends the need for approval", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  const edit = { ...all, verbs: ["get", "list", "create", "update", "patch", "use"] };
  for (const name of ["alice", "mallory"]) await allow(rig, user(name), edit);
  const spec = { templates: ["t.v1"], approval: "Required" };
  await rig.as("alice").create(named("Environment", "e", spec));
  for (const approval of ["Automatic", null]) {
    const change = { spec: { approval } };
    await assert.rejects(
      rig.as("mallory").patch(environmentPlace, change),
      /"mallory" cannot approve plans, so spec\.approval must stay Required/,
    );
  }
  await rig.as("admin", ["system:masters"]).patch(environmentPlace, {
    spec: { approval: "Automatic" },
  });
});
