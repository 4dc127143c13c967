import assert from "node:assert/strict";
import { test } from "node:test";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { apiVersion, machine, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

function changesOf(plan: Resource | undefined): readonly string[] {
  return objectsAt(plan?.status, "changes").map((change) => {
    return `${textAt(change, "action")} ${textAt(change, "resource")}`;
  });
}

function fieldsOf(plan: Resource | undefined, name: string): readonly JsonObject[] {
  const changes = objectsAt(plan?.status, "changes");
  return objectsAt(
    changes.find((change) => textAt(change, "resource") === name),
    "fields",
  );
}

async function deployed(rig: Rig, more: JsonObject = {}): Promise<void> {
  await rig.template(
    [
      machine("db", {}, { size: "${parameters.size}", password: "${parameters.token}" }),
      machine("web", {}, { url: "${resources.db.outputs.url}" }),
      machine("job"),
    ],
    {
      parameters: {
        size: { type: "integer", default: 1 },
        token: { type: "string", secret: true },
      },
      ...more,
    },
  );
}

async function deployAll(rig: Rig): Promise<void> {
  await rig.pass();
  await rig.ready("e.job");
  await rig.ready("e.db", { url: "db:1" });
  await rig.ready("e.web");
  await rig.pass(3_000);
  assert.equal(await rig.phase(), "DeployedOk");
}

test("a Plan shows additions, changes and removals with fields, and changes nothing", async () => {
  await using rig = await openRig();
  await deployed(rig);
  await rig.environment({ secretParameters: { token: "s3cret-one" } });
  await deployAll(rig);
  await rig.create("Template", "t.v2", {
    id: "t",
    version: 2,
    parameters: { size: { type: "integer", default: 1 }, token: { type: "string", secret: true } },
    resources: [
      machine("db", {}, { size: "${parameters.size}", password: "${parameters.token}" }),
      machine("web", {}, { url: "${resources.db.outputs.url}" }),
      machine("cache"),
    ],
  });
  const before = await rig.names("environmentresources.environments.setpoint.dev");
  await rig.create("Plan", "p", {
    environment: "e",
    templates: ["t.v2"],
    parameters: { size: 5 },
    secretParameters: { token: "s3cret-two" },
  });
  await rig.pass();
  const plan = await rig.read("Plan", "p");
  assert.equal(textAt(plan?.status, "phase"), "Ready", JSON.stringify(plan?.status));
  assert.deepEqual(changesOf(plan).toSorted(), [
    "add e.cache",
    "change e.db",
    "change e.web",
    "remove e.job",
  ]);
  assert.deepEqual(fieldsOf(plan, "e.db"), [
    { path: "spec.size", before: 1, after: 5 },
    { path: "spec.password", hidden: true },
  ]);
  assert.deepEqual(fieldsOf(plan, "e.web"), [
    { path: "spec.url", before: "db:1", deferred: "known after db is applied" },
  ]);
  assert.equal(numberAt(plan?.status, "deferred"), 1);
  assert.ok(!JSON.stringify(plan?.status).includes("s3cret"));
  assert.deepEqual(await rig.names("environmentresources.environments.setpoint.dev"), before);
  assert.deepEqual(await rig.machines(), ["e.db", "e.job", "e.web"]);
});

test("a plan shows changes of secrets that a Secret has as text, without the values", async () => {
  await using rig = await openRig();
  const secret = { apiVersion: "v1", kind: "Secret", stringData: { a: "${parameters.token}" } };
  await rig.template([{ key: "keys", template: secret }], {
    parameters: { token: { type: "string", secret: true } },
  });
  await rig.environment({ secretParameters: { token: "s3cret-one" } });
  await rig.pass(3_000);
  await rig.create("Plan", "p", {
    environment: "e",
    secretParameters: { token: "s3cret-two" },
  });
  await rig.pass();
  const plan = await rig.read("Plan", "p");
  assert.deepEqual(fieldsOf(plan, "e.keys"), [{ path: "stringData.a", hidden: true }]);
  assert.ok(!JSON.stringify(plan?.status).includes("s3cret"));
});

test("a plan that states one secret parameter leaves the others as they are", async () => {
  await using rig = await openRig();
  const parameters = {
    token: { type: "string", secret: true, required: true },
    other: { type: "string", secret: true, required: true },
  };
  const spec = { password: "${parameters.token}/${parameters.other}" };
  await rig.template([machine("db", {}, spec)], { parameters });
  await rig.environment({ secretParameters: { token: "one", other: "two" } });
  await rig.pass();
  await rig.ready("e.db");
  await rig.pass(3_000);
  await rig.create("Plan", "p", { environment: "e", secretParameters: { token: "three" } });
  await rig.pass();
  assert.equal(textAt((await rig.read("Plan", "p"))?.status, "phase"), "Ready");
  await rig.patch("Environment", "e", { spec: { approvedPlan: "p" } });
  await rig.pass(3_000);
  assert.equal(textAt((await rig.read("Machine", "e.db"))?.spec, "password"), "three/two");
});

test("a plan of an unchanged environment shows no change", async () => {
  await using rig = await openRig();
  await deployed(rig);
  await rig.environment({ secretParameters: { token: "t" } });
  await deployAll(rig);
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  const plan = await rig.read("Plan", "p");
  assert.deepEqual(
    changesOf(plan).filter((change) => !change.startsWith("none")),
    [],
  );
});

test("a change that needs approval waits, and an approved Plan starts it", async () => {
  await using rig = await openRig();
  await deployed(rig, { permissions: { approval: "Required" } });
  await rig.environment({ secretParameters: { token: "t" } });
  await rig.pass();
  assert.deepEqual(await rig.machines(), []);
  let environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "Deploying");
  assert.equal(textAt(environment?.status, "reason"), "AwaitingApproval");
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  await rig.patch("Environment", "e", { spec: { approvedPlan: "p" } });
  await rig.pass(3_000);
  assert.deepEqual(await rig.machines(), ["e.db", "e.job"]);
  await deployAll(rig);
  await rig.patch("Environment", "e", { spec: { parameters: { size: 2 } } });
  await rig.pass();
  environment = await rig.read("Environment", "e");
  assert.equal(textAt(environment?.status, "phase"), "DeployedWaiting");
  assert.equal(numberAt((await rig.read("Machine", "e.db"))?.spec, "size"), 1);
});

test("approving a stale Plan is refused with what changed", async () => {
  await using rig = await openRig();
  await deployed(rig, { permissions: { approval: "Required" } });
  await rig.environment({ secretParameters: { token: "t" } });
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  await rig.patch("Environment", "e", { spec: { parameters: { size: 7 } } });
  await assert.rejects(
    rig.patch("Environment", "e", { spec: { approvedPlan: "p" } }),
    /the Plan p is stale: the Environment has changed since \(generation 2, planned 1\)/,
  );
});

test("approval needs the verb approve, and the policy may refuse self-approval", async () => {
  await using rig = await openRig();
  await deployed(rig, { permissions: { approval: "Required", selfApproval: false } });
  await rig.environment({ secretParameters: { token: "t" } });
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  const at = { apiVersion, kind: "Environment", namespace: "team", name: "e" };
  const approve = { spec: { approvedPlan: "p" } };
  await assert.rejects(rig.as("mallory").patch(at, approve), /cannot approve the Plan p/);
  await assert.rejects(rig.patch("Environment", "e", approve), /requires another user/);
  const forged = { "environments.setpoint.dev/requested-by": "mallory" };
  const both = { metadata: { annotations: forged }, ...approve };
  await assert.rejects(rig.patch("Environment", "e", both), /requires another user/);
  await rig.as("bob", ["system:masters"]).patch(at, approve);
});

/** A kind that plans itself, as TerraformStack does. */
async function installStack(rig: Rig, sealed: boolean): Promise<void> {
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const secret = { type: "string", "x-setpoint-field-rule": "secret" };
  const stackSpec = { ...free, properties: { password: secret } };
  const planned = { ...free, properties: sealed ? { spec: stackSpec } : {} };
  const define = async (kind: string, spec: JsonObject, annotations: JsonObject): Promise<void> => {
    const plural = `${kind.toLowerCase()}s`;
    const schema = { type: "object", properties: { spec, status: free } };
    const version = { name: "v1", served: true, storage: true, subresources: { status: {} } };
    await rig.memory.create({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.example.dev`, annotations },
      spec: {
        group: "example.dev",
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
      },
    });
  };
  await define("Stack", stackSpec, { "environments.setpoint.dev/plan-kind": "StackPlan" });
  await define("StackPlan", planned, {});
  await rig.pass();
}

function stack(spec: JsonObject): JsonObject {
  return { key: "s", template: { apiVersion: "example.dev/v1", kind: "Stack", spec } };
}

const token = { parameters: { token: { type: "string", secret: true } } };

test("a kind with a plan kind plans itself, and the Plan copies the result", async () => {
  await using rig = await openRig();
  await installStack(rig, true);
  await rig.template([stack({ size: 3, password: "${parameters.token}" })], token);
  await rig.environment({ approval: "Required", secretParameters: { token: "s3cret" } });
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  assert.equal(textAt((await rig.read("Plan", "p"))?.status, "phase"), "Pending");
  const at = { apiVersion: "example.dev/v1", kind: "StackPlan", namespace: "team", name: "p.e.s" };
  const child = await rig.memory.read(at);
  assert.equal(textAt(child?.spec, "target"), "e.s");
  assert.equal(numberAt(child?.spec, "spec", "size"), 3);
  const ready = { type: "Ready", status: "True", reason: "R", message: "", observedGeneration: 1 };
  const conditions = [{ ...ready, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const changes = [{ address: "null_resource.a", action: "create" }];
  const status = { observedGeneration: 1, conditions, add: 4, change: 0, remove: 1, changes };
  await rig.memory.patch({ ...at, subresource: "status" }, { status });
  await rig.pass();
  const plan = await rig.read("Plan", "p");
  assert.equal(textAt(plan?.status, "phase"), "Ready");
  const [change] = objectsAt(plan?.status, "changes");
  assert.equal(numberAt(change, "nested", "add"), 4);
  assert.deepEqual(objectsAt(change, "nested", "changes"), changes);
  assert.ok(!JSON.stringify(plan?.status).includes("s3cret"));
});

test("a plan kind that does not seal a secret field of the target is not used", async () => {
  await using rig = await openRig();
  await installStack(rig, false);
  await rig.template([stack({ password: "${parameters.token}" })], token);
  await rig.environment({ approval: "Required", secretParameters: { token: "s3cret" } });
  await rig.create("Plan", "p", { environment: "e" });
  await rig.pass();
  assert.deepEqual(await rig.names("stackplans.example.dev"), []);
  const [change] = objectsAt((await rig.read("Plan", "p"))?.status, "changes");
  assert.match(textAt(change, "reason"), /spec\.password is not a secret field of StackPlan/);
});
