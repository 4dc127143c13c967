// What clusters, agents, policies and other Offerings can do to an instance, and how an
// administrator corrects it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { acceptRoutesAnnotation, forceDeleteAnnotation } from "../../src/modules/fleet/names.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { instanceAt, offeringAt, organisationAt } from "./memory-fleet.ts";
import { clusterAt } from "./test-agent.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

async function messageOf(life: LifecycleFleet): Promise<string> {
  const conditions = objectsAt((await life.read())?.status, "conditions");
  return textAt(
    conditions.find((each) => each["type"] === "Ready"),
    "message",
  );
}

describe("a cluster whose removal is forced", () => {
  const annotations = { [forceDeleteAnnotation]: "the data centre burnt down" };

  it("is removed without its agent, and its instances are placed on another cluster", async () => {
    await using life = await openLifecycle();
    for (const name of ["a", "b"]) await life.create(name);
    await life.settle();
    life.agents.plan("east-1", "silent");
    await life.agents.addCluster("east-2");
    await life.fleet.memory.patch(clusterAt("east-1"), { metadata: { annotations } });
    await life.fleet.memory.remove(clusterAt("east-1"));
    await life.fleet.pass(60_000);
    await life.settle();
    await life.fleet.pass(60_000);
    assert.equal(await life.fleet.memory.read(clusterAt("east-1")), undefined);
    for (const name of ["a", "b"]) {
      assert.equal(await life.phase(name), "ready");
      assert.equal(await life.status(name, "placement", "cluster"), "east-2");
      assert.equal(await life.status(name, "leaving"), undefined);
    }
    assert.equal((await life.managed()).length, 2);
  });

  it("can be forced while its deletion waits for an agent that is lost", async () => {
    await using life = await openLifecycle();
    await life.create();
    await life.settle();
    life.agents.plan("east-1", "silent");
    await life.fleet.memory.patch(clusterAt("east-1"), { spec: { isDraining: true } });
    await life.fleet.memory.remove(clusterAt("east-1"));
    await life.fleet.pass(60_000);
    assert.equal(await life.phase(), "ready", "no other cluster can host it");
    assert.notEqual(await life.fleet.memory.read(clusterAt("east-1")), undefined);
    await life.fleet.memory.patch(clusterAt("east-1"), { metadata: { annotations } });
    await life.fleet.pass(10_000);
    assert.equal(await life.fleet.memory.read(clusterAt("east-1")), undefined);
    assert.equal(await life.phase(), "provisioning");
  });

  it("does not hold its instances, which fail in time when no cluster is left", async () => {
    await using life = await openLifecycle({ offering: { timeouts: { placement: 600 } } });
    await life.create();
    await life.settle();
    life.agents.plan("east-1", "silent");
    await life.fleet.memory.patch(clusterAt("east-1"), { metadata: { annotations } });
    await life.fleet.memory.remove(clusterAt("east-1"));
    await life.fleet.pass(60_000);
    assert.equal(await life.fleet.memory.read(clusterAt("east-1")), undefined);
    assert.equal(await life.phase(), "provisioning");
    await life.fleet.pass(3_600_000);
    assert.equal(await life.phase(), "failed");
    assert.match(textAt((await life.read())?.status, "failedReason"), /no cluster in aws/);
  });
});

describe("routes that an agent reported wrongly", () => {
  const routers = async (life: LifecycleFleet): Promise<readonly string[]> =>
    objectsAt((await life.read())?.status, "routes").map((route) => textAt(route, "router"));
  const report = async (life: LifecycleFleet, host: string): Promise<void> => {
    const [managed] = await life.managed();
    assert.ok(managed !== undefined);
    const router = `${host}.apps.east-1.example.com`;
    await life.agents.report(managed, { routes: [{ name: "ui", prefix: "", router }] });
    await life.fleet.pass();
  };

  it("are corrected by the agent until their preparations are ready", async () => {
    const dns = {
      name: "dns",
      phase: "routes",
      forEach: "route",
      template: { ...configMap, data: { router: "${route.router}" } },
      readyWhen: "resource.data.router.startsWith('good')",
    };
    await using life = await openLifecycle({ offering: { preparations: [dns] } });
    life.agents.plan("east-1", "silent");
    await life.create();
    await life.settle();
    await report(life, "bad");
    assert.deepEqual(await routers(life), ["bad.apps.east-1.example.com"]);
    assert.equal(await life.phase(), "provisioning");
    await report(life, "good");
    assert.deepEqual(await routers(life), ["good.apps.east-1.example.com"]);
    assert.equal(await life.phase(), "ready");
    await report(life, "evil");
    assert.deepEqual(await routers(life), ["good.apps.east-1.example.com"], "they are in use");
  });

  it("are replaced once when an administrator accepts the reported ones", async () => {
    await using life = await openLifecycle();
    life.agents.plan("east-1", "silent");
    await life.create();
    await life.settle();
    await report(life, "bad");
    assert.equal(await life.phase(), "ready");
    await report(life, "good");
    assert.deepEqual(await routers(life), ["bad.apps.east-1.example.com"]);
    const accept = { metadata: { annotations: { [acceptRoutesAnnotation]: "ticket 7" } } };
    await assert.rejects(life.fleet.as("alice").patch(instanceAt("rex"), accept));
    await life.fleet.memory.patch(instanceAt("rex"), accept);
    await life.fleet.pass();
    assert.deepEqual(await routers(life), ["good.apps.east-1.example.com"]);
    assert.equal(await life.phase(), "ready");
    await report(life, "evil");
    assert.deepEqual(await routers(life), ["good.apps.east-1.example.com"]);
  });
});

it("a policy that refuses the instance on a cluster is named as the reason", async () => {
  await using life = await openLifecycle();
  const name = "no-dinosaurs";
  const apiVersion = "admissionregistration.k8s.io/v1";
  await life.fleet.memory.create({
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["fleet.setpoint.dev"],
            apiVersions: ["v1"],
            operations: ["CREATE"],
            resources: ["managedinstances"],
          },
        ],
      },
      validations: [{ expression: "false", message: "dinosaurs are extinct" }],
    },
  });
  await life.fleet.memory.create({
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  await life.create();
  await life.fleet.pass(10_000);
  assert.match(await messageOf(life), /dinosaurs are extinct/);
  const [why] = objectsAt((await life.read())?.status, "placement", "why");
  assert.match(textAt(why, "reason"), /dinosaurs are extinct/);
});

it("instances of two Offerings with the same name have preparations of their own", async () => {
  const sso = { name: "sso", template: { ...configMap, data: {} }, readyWhen: "true" };
  await using life = await openLifecycle({ offering: { preparations: [sso] } });
  const birds = { group: "birds.example.dev", kind: "Bird", plural: "birds" };
  const { apiVersion, kind, spec = {} } = sampleOffering({ instances: birds, preparations: [sso] });
  await life.fleet.memory.create({ apiVersion, kind, metadata: { name: "birds" }, spec });
  await life.fleet.pass();
  await life.create();
  const type = { apiVersion: "birds.example.dev/v1", kind: "Bird" };
  const metadata = { name: "rex", namespace: "org-acme" };
  const bird = { ...type, ...metadata };
  await life.fleet.as("alice").create({ ...type, metadata, spec: {} });
  await life.settle();
  await life.fleet.pass(60_000);
  await life.settle();
  assert.equal(await life.phase(), "ready");
  const other = await life.fleet.memory.read(bird);
  assert.equal(textAt(other?.status, "phase"), "ready", textAt(other?.status, "failedReason"));
  const id = textAt(other?.spec, "id");
  const owners = (await life.fleet.list("configmaps"))
    .filter(({ metadata: { namespace } }) => namespace === "org-acme")
    .map(({ metadata: { name, ownerReferences = [] } }) => `${name} ${ownerReferences[0]?.kind}`);
  assert.deepEqual(owners.toSorted(), ["rex-sso Dinosaur", `rex-sso-${id} Bird`]);
  await life.fleet.memory.remove(bird);
  await life.settle();
  await life.fleet.pass(60_000);
  const left = (await life.fleet.list("configmaps")).map(({ metadata: { name } }) => name);
  assert.ok(left.includes("rex-sso") && !left.includes(`rex-sso-${id}`), String(left));
});

describe("a preparation that cannot be applied", () => {
  const sign = { name: "sign", template: { apiVersion: "signs.example.dev/v1", kind: "Sign" } };
  const map = { name: "map", template: configMap, readyWhen: "true" };

  it("is named, and fails a new instance after its time", async () => {
    await using life = await openLifecycle({ offering: { preparations: [sign] } });
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "preparing");
    const synced = objectsAt((await life.read())?.status, "conditions").find(
      (each) => each["type"] === "Synced",
    );
    assert.equal(textAt(synced, "reason"), "UnknownKind");
    assert.match(textAt(synced, "message"), /the preparation sign cannot be applied: no kind Sign/);
    await life.fleet.pass(290_000);
    assert.equal(await life.phase(), "preparing");
    await life.fleet.pass(20_000);
    assert.equal(await life.phase(), "failed");
    const reason = textAt((await life.read())?.status, "failedReason");
    assert.equal(reason, "not prepared after 5 min: the preparation sign cannot be applied");
  });

  it("does not delay a suspension, and what was prepared stays", async () => {
    await using life = await openLifecycle({ offering: { preparations: [map] } });
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "ready");
    const at = { apiVersion: "v1", kind: "ConfigMap", namespace: "org-acme", name: "rex-map" };
    const broken = { ...map, template: sign.template };
    await life.fleet.memory.patch(offeringAt(), { spec: { preparations: [broken] } });
    await life.settle();
    assert.notEqual(await life.fleet.memory.read(at), undefined);
    assert.equal(await life.phase(), "ready");
    await life.fleet.memory.patch(organisationAt(), { spec: { isDenied: true } });
    await settleSlowly(life);
    assert.equal(await life.phase(), "suspended");
    await life.fleet.memory.patch(organisationAt(), { spec: { isDenied: false } });
    await life.fleet.memory.patch(offeringAt(), { spec: { preparations: [map] } });
    await settleSlowly(life);
    assert.equal(await life.phase(), "ready");
    assert.notEqual(await life.fleet.memory.read(at), undefined);
  });
});

/** The engine runs what has failed at most every 30 s, whatever wakes it. */
async function settleSlowly(life: LifecycleFleet): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await life.fleet.pass(30_000);
    await life.settle();
  }
}
