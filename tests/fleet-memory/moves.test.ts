// Moves between clusters: draining, assignment by an administrator, and clusters that are removed.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { conditionOf, instanceAt } from "./memory-fleet.ts";
import { clusterAt } from "./test-agent.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

const dns = {
  name: "dns",
  phase: "routes",
  forEach: "route",
  template: { ...configMap, data: { domain: "${route.domain}", router: "${route.router}" } },
  readyWhen: "true",
};

async function record(life: LifecycleFleet): Promise<string> {
  const at = { ...configMap, namespace: "org-acme", name: "rex-dns-0" };
  return textAt(await life.fleet.memory.read(at), "data", "router");
}

async function hosts(life: LifecycleFleet): Promise<readonly string[]> {
  return (await life.managed()).map(({ metadata }) => metadata.namespace ?? "");
}

async function drain(life: LifecycleFleet, cluster: string): Promise<void> {
  await life.fleet.memory.patch(clusterAt(cluster), { spec: { isDraining: true } });
}

describe("an instance on a cluster that is drained", () => {
  it("is ready elsewhere before it leaves the cluster, and its DNS records follow", async () => {
    await using life = await openLifecycle({
      offering: { preparations: [dns], domain: "dinosaurs.example" },
      clusters: { "east-1": {} },
    });
    await life.create();
    await life.settle();
    const host = await life.status("rex", "host");
    assert.equal(await record(life), "ingress.apps.east-1.example.com");
    await life.agents.addCluster("east-2");
    life.agents.plan("east-2", "silent");
    await drain(life, "east-1");
    await life.settle();
    assert.equal(await life.phase(), "provisioning");
    assert.deepEqual((await hosts(life)).toSorted(), ["cluster-east-1", "cluster-east-2"]);
    assert.equal(await record(life), "ingress.apps.east-1.example.com", "it still serves there");
    life.agents.plan("east-1", "silent");
    life.agents.plan("east-2", "ready");
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.equal(await record(life), "ingress.apps.east-2.example.com");
    assert.equal(await life.status("rex", "host"), host);
    assert.deepEqual(textsAt((await life.read())?.status, "leaving"), ["east-1"]);
    assert.deepEqual((await hosts(life)).toSorted(), ["cluster-east-1", "cluster-east-2"]);
    life.agents.plan("east-1", "ready");
    await life.settle();
    assert.deepEqual(await hosts(life), ["cluster-east-2"]);
    assert.deepEqual(textsAt((await life.read())?.status, "leaving"), []);
  });

  it("stays ready while no other cluster can host it, and leaves when one can", async () => {
    await using life = await openLifecycle();
    await life.create();
    await life.settle();
    await drain(life, "east-1");
    await life.fleet.pass(30 * 60_000);
    assert.equal(await life.phase(), "ready");
    assert.equal(await life.status("rex", "placement", "cluster"), "east-1");
    await life.agents.addCluster("east-2");
    await life.fleet.pass(500);
    await life.settle();
    assert.equal(await life.status("rex", "placement", "cluster"), "east-2");
    assert.equal(await life.phase(), "ready");
    await life.settle();
    assert.deepEqual(await hosts(life), ["cluster-east-2"]);
  });

  it("leaves it also while it is suspended or failed", async () => {
    await using life = await openLifecycle({ clusters: { "east-1": {} } });
    await life.create("suspended");
    await life.create("failing");
    await life.settle();
    const suspension = { spec: { suspension: { reason: "unpaid" } } };
    await life.fleet.memory.patch(instanceAt("suspended"), suspension);
    await life.settle();
    const failing = (await life.managed()).find(
      ({ spec }) => textAt(spec, "instance", "name") === "failing",
    );
    assert.ok(failing !== undefined);
    life.agents.plan("east-1", "silent");
    await life.agents.report(failing, { status: "False", reason: "Error", message: "broken" });
    await life.fleet.pass();
    assert.equal(await life.phase("failing"), "failed");
    life.agents.plan("east-1", "ready");
    await life.agents.addCluster("east-2");
    await drain(life, "east-1");
    await life.settle();
    await life.settle();
    assert.equal(await life.phase("suspended"), "suspended");
    assert.equal(await life.phase("failing"), "ready");
    assert.deepEqual(await hosts(life), ["cluster-east-2", "cluster-east-2"]);
  });

  it("lets a drained cluster be removed", async () => {
    await using life = await openLifecycle({ clusters: { "east-1": {} } });
    for (const name of ["a", "b", "c"]) await life.create(name);
    await life.settle();
    await life.agents.addCluster("east-2");
    await drain(life, "east-1");
    await life.settle();
    await life.settle();
    await life.fleet.memory.remove(clusterAt("east-1"));
    await life.fleet.pass(60_000);
    assert.equal(await life.fleet.memory.read(clusterAt("east-1")), undefined);
    assert.equal((await hosts(life)).length, 3);
  });
});

describe("an instance that an administrator assigns to a cluster", () => {
  it("moves there, and only there", async () => {
    await using life = await openLifecycle({ clusters: { "east-1": {}, "east-2": {} } });
    await life.create();
    await life.settle();
    const from = textAt((await life.read())?.status, "placement", "cluster");
    const to = from === "east-1" ? "east-2" : "east-1";
    await life.fleet.memory.patch(instanceAt("rex"), { spec: { cluster: "nowhere" } });
    await life.fleet.pass(60_000);
    assert.equal(await life.phase(), "ready");
    assert.equal(await life.status("rex", "placement", "cluster"), from);
    await life.fleet.memory.patch(instanceAt("rex"), { spec: { cluster: to } });
    await life.settle();
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.deepEqual(await hosts(life), [`cluster-${to}`]);
  });

  it("is repaired after its placement has failed", async () => {
    const timeouts = { placement: 60 };
    await using life = await openLifecycle({ offering: { timeouts }, clusters: {} });
    await life.create();
    await life.fleet.pass(120_000);
    assert.equal(await life.phase(), "failed");
    await life.agents.addCluster("east-1");
    await life.fleet.pass(120_000);
    assert.equal(await life.phase(), "failed", "a failed instance stays until it is assigned");
    await life.fleet.memory.patch(instanceAt("rex"), { spec: { cluster: "east-1" } });
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.equal(conditionOf(await life.read(), "Ready"), "True Ready");
    assert.equal(objectsAt((await life.read())?.status, "routes").length, 1);
  });
});

describe("preparations that an Offering does not have any more", () => {
  it("are deleted", async () => {
    const sso = { name: "sso", template: { ...configMap, data: {} }, readyWhen: "true" };
    await using life = await openLifecycle({ offering: { preparations: [dns, sso] } });
    await life.create();
    await life.settle();
    const names = async (): Promise<readonly string[]> =>
      (await life.fleet.list("configmaps")).map(({ metadata }) => metadata.name).toSorted();
    assert.deepEqual(await names(), ["rex-dns-0", "rex-sso"]);
    const at = { apiVersion: "fleet.setpoint.dev/v1", kind: "Offering", name: "dinosaurs" };
    await life.fleet.memory.patch(at, { spec: { preparations: [dns] } });
    await life.settle();
    assert.deepEqual(await names(), ["rex-dns-0"]);
    assert.equal(await life.phase(), "ready");
  });
});
