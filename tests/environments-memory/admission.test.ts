import assert from "node:assert/strict";
import { test } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { apiVersion, machine, openRig } from "./rig.ts";

test("a Template is refused with every error, and its spec cannot be changed", async () => {
  await using rig = await openRig();
  await assert.rejects(
    rig.template([machine("a", { dependsOn: ["b"] }), machine("b", { dependsOn: ["a"] })]),
    /spec\.resources: Invalid value: "a": the dependencies have a cycle: a -> b -> a/,
  );
  await assert.rejects(
    rig.create("Template", "x.v1", { id: "t", version: 1, resources: [] }),
    /t\.v1/,
  );
  await rig.template([machine("a")]);
  await assert.rejects(
    rig.patch("Template", "t.v1", { spec: { name: "other" } }),
    /spec|immutable|create-only/i,
  );
});

test("a document that its kind does not accept is refused before any work", async () => {
  await using rig = await openRig();
  const configMap = (data: JsonObject): JsonObject => {
    return { key: "a", template: { apiVersion: "v1", kind: "ConfigMap", data } };
  };
  const more = { parameters: { n: { type: "integer", default: 1 } } };
  await assert.rejects(
    rig.template([configMap({ n: "${parameters.n}" })], more),
    /spec\.resources\[0\]\.template\.data\.n: .*it is of type integer, and must be of type string/,
  );
  await assert.rejects(rig.template([configMap({ n: 1 })], more), /template\.data\.n: .*string/);
  const call = { apiVersion: "v1", kind: "ConfigMap", spec: {} };
  await assert.rejects(
    rig.template([{ key: "a", template: call }]),
    /spec\.resources\[0\]\.template\.spec: .*ConfigMap has no such field/,
  );
  await rig.template([configMap({ n: "${string(parameters.n)}" })], more);
});

test("wrong parameters are refused before any work, and name the field", async () => {
  await using rig = await openRig();
  await rig.template([machine("a", {}, { n: "${parameters.n}" })], {
    parameters: { n: { type: "integer", required: true } },
  });
  await assert.rejects(rig.environment(), /spec\.parameters\.n: Required value/);
  await assert.rejects(rig.environment({ parameters: { n: "x" } }), /spec\.parameters\.n/);
  await assert.rejects(rig.environment({ parameters: { n: 1, m: 2 } }), /spec\.parameters\.m/);
  await assert.rejects(rig.environment({ templates: ["t.v9"] }), /spec\.templates\[0\]/);
  assert.deepEqual(await rig.names("environments.environments.setpoint.dev"), []);
});

test("a wrong secret parameter is refused without its value", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")], {
    parameters: { token: { type: "string", secret: true, pattern: "^x" } },
  });
  await assert.rejects(
    rig.environment({ secretParameters: { token: "sentinel-4711" } }),
    (error: Error) =>
      /spec\.secretParameters/.test(error.message) && !/sentinel/.test(error.message),
  );
});

test("a user without the rights of the ServiceAccount cannot deploy with it", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  const spec = { templates: ["t.v1"] };
  const object = {
    apiVersion,
    kind: "Environment",
    metadata: { name: "m", namespace: "team" },
    spec,
  };
  await assert.rejects(
    rig.as("mallory").create(object),
    /spec\.serviceAccountName: .*may not act as the ServiceAccount "environment"/,
  );
});

test("the permissions of a Template restrict who may deploy and destroy it", async () => {
  await using rig = await openRig();
  const permissions = { deploy: { users: ["alice"] }, destroy: { groups: ["operators"] } };
  await rig.template([machine("a")], { permissions });
  await assert.rejects(rig.environment(), /"admin" may not deploy the Template t\.v1/);
  const alice = rig.as("alice", ["system:masters"]);
  const at = { apiVersion, kind: "Environment", namespace: "team", name: "e" };
  const metadata = { name: "e", namespace: "team" };
  const spec = { templates: ["t.v1"] };
  await alice.create({ apiVersion, kind: "Environment", metadata, spec });
  const destroy = { spec: { desired: "Destroyed" } };
  await assert.rejects(alice.patch(at, destroy), /may not destroy the Template/);
  await rig.as("olga", ["system:masters", "operators"]).patch(at, destroy);
});

test("a protected Environment is neither destroyed nor deleted", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment({ protected: true });
  await assert.rejects(
    rig.patch("Environment", "e", { spec: { desired: "Destroyed" } }),
    /is protected/,
  );
  await assert.rejects(rig.remove("Environment", "e"), /is protected/);
});

test("users do not write EnvironmentResources or the Operations of the server", async () => {
  await using rig = await openRig();
  await rig.template([machine("a")]);
  await rig.environment();
  await rig.pass();
  const spec = { environment: "e", template: "t.v1", key: "a" };
  await assert.rejects(rig.create("EnvironmentResource", "x", spec), /only this server writes/);
  await assert.rejects(
    rig.create("Operation", "x", { environment: "e", type: "Destroy" }),
    /change the spec of the Environment/,
  );
  await assert.rejects(
    rig.create("Operation", "x", { environment: "e", type: "Action", action: "nothing" }),
    /no Template of the Environment has the action nothing; it has none/,
  );
});

test("a group with a cycle of its links is refused and named", async () => {
  await using rig = await openRig();
  const resources = [
    { id: "a", dependsOn: ["b"] },
    { id: "b", dependsOn: ["a"] },
  ];
  await assert.rejects(rig.create("ResourceGroup", "g", { resources }), /cycle: a -> b -> a/);
});

test("a dependency on an ExternalResource waits for it and reads its outputs", async () => {
  await using rig = await openRig();
  await rig.template([machine("a", {}, { zone: "${externals.dns.outputs.zone}" })], {
    externals: [{ name: "dns", resource: "corporate" }],
  });
  await rig.environment();
  await rig.pass();
  assert.deepEqual(await rig.machines(), []);
  await rig.create("ExternalResource", "corporate", { outputs: { zone: "example.org" } });
  await rig.pass(3_000);
  assert.equal(textAt((await rig.read("Machine", "e.a"))?.spec, "zone"), "example.org");
});
