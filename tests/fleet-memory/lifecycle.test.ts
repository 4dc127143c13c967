// The life of an instance from its creation to ready, with agents in the test process.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { conditionOf, instanceAt } from "./memory-fleet.ts";
import { clusterAt } from "./test-agent.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };
const minuteMs = 60_000;

/** A preparation whose readiness the test decides: by the key `ready`. */
function preparation(name: string, others: JsonObject = {}): JsonObject {
  return {
    name,
    template: {
      ...configMap,
      metadata: { name: `\${instance.metadata.name}-${name}` },
      data: { host: "${instance.status.host}" },
    },
    readyWhen: "has(resource.metadata.labels) && 'ready' in resource.metadata.labels",
    ...others,
  };
}

async function markReady(life: LifecycleFleet, name: string): Promise<void> {
  const at = { ...configMap, namespace: "org-acme", name };
  await life.fleet.memory.patch(at, { metadata: { labels: { ready: "yes" } } });
}

describe("an instance", () => {
  it("is placed, provisioned by the agent, and ready when its routes exist", async () => {
    await using life = await openLifecycle();
    await life.create();
    await life.fleet.pass();
    assert.equal(await life.phase(), "provisioning");
    const [managed] = await life.managed();
    const id = textAt((await life.read())?.spec, "id");
    assert.equal(managed?.metadata.name, id);
    assert.equal(managed?.metadata.namespace, "cluster-east-1");
    assert.equal(textAt(managed?.spec, "host"), `rex-${id}.dinosaurs.east-1.example.com`);
    assert.deepEqual(objectAt(managed?.spec, "versions"), { operator: "1.0.0", product: "2.1.0" });
    await life.settle();
    const ready = await life.read();
    assert.equal(await life.phase(), "ready");
    assert.equal(conditionOf(ready, "Ready"), "True Ready");
    assert.deepEqual(objectAt(ready?.status, "actualVersions"), {
      operator: "1.0.0",
      product: "2.1.0",
    });
    assert.deepEqual(objectsAt(ready?.status, "routes"), [
      {
        name: "ui",
        domain: `rex-${id}.dinosaurs.east-1.example.com`,
        router: "ingress.apps.east-1.example.com",
      },
    ]);
    assert.equal(textAt(ready?.status, "namespace"), `dinosaur-${id}`);
  });

  it("has one event for each change of its phase", async () => {
    await using life = await openLifecycle();
    await life.create();
    await life.settle();
    const events = (await life.fleet.list("events")) as unknown as readonly JsonObject[];
    const moves = events.filter((event) => textAt(event, "reason") === "PhaseChanged");
    assert.deepEqual(moves.map((event) => textAt(event, "message")).toSorted(), [
      "from accepted to preparing",
      "from preparing to provisioning",
      "from provisioning to ready",
    ]);
  });

  it("waits for its preparations, and later for those of its routes", async () => {
    const routes = preparation("dns", {
      phase: "routes",
      forEach: "route",
      template: {
        ...configMap,
        metadata: { name: "${instance.metadata.name}-dns-${route.name}" },
        data: { domain: "${route.domain}", router: "${route.router}" },
      },
    });
    await using life = await openLifecycle({
      offering: { preparations: [preparation("sso"), routes] },
    });
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "preparing");
    const [held] = await life.managed();
    assert.equal(textAt(held?.spec, "host"), "", "the agent does not get an unprepared instance");
    const child = await life.fleet.memory.read({
      ...configMap,
      namespace: "org-acme",
      name: "rex-sso",
    });
    assert.match(textAt(child, "data", "host"), /^rex-.*\.dinosaurs\.east-1\.example\.com$/);
    await markReady(life, "rex-sso");
    await life.settle();
    assert.equal(await life.phase(), "provisioning");
    assert.equal(conditionOf(await life.read(), "Ready"), "False WaitingForRoutes");
    await markReady(life, "rex-dns-ui");
    await life.settle();
    assert.equal(await life.phase(), "ready");
  });

  it("fails when a preparation is refused or is not ready in time", async () => {
    const timeouts = { preparation: 300 };
    await using life = await openLifecycle({
      offering: { preparations: [preparation("sso")], timeouts },
    });
    await life.create();
    await life.fleet.pass(299_000);
    assert.equal(await life.phase(), "preparing");
    await life.fleet.pass(2_000);
    assert.equal(await life.phase(), "failed");
    assert.match(textAt((await life.read())?.status, "failedReason"), /sso.*5 min|preparation/);

    await using other = await openLifecycle({
      offering: {
        preparations: [
          preparation("bad", {
            template: { ...configMap, metadata: { name: "UPPER" }, data: {} },
          }),
        ],
      },
    });
    await other.create();
    await other.fleet.pass();
    assert.equal(await other.phase(), "failed");
  });

  it("is not ready without routes, or with a router of another domain", async () => {
    await using life = await openLifecycle();
    life.agents.plan("east-1", "silent");
    await life.create();
    await life.fleet.pass();
    const report = async (routes?: readonly JsonObject[]): Promise<void> => {
      const [managed] = await life.managed();
      assert.ok(managed !== undefined);
      await life.agents.report(managed, routes === undefined ? {} : { routes });
      await life.fleet.pass();
    };
    await report();
    assert.equal(await life.phase(), "provisioning");
    await report([{ name: "ui", prefix: "", router: "evil.example.org" }]);
    assert.equal(await life.phase(), "provisioning");
    assert.match(conditionOf(await life.read(), "Ready"), /False WaitingForRoutes/);
    assert.deepEqual(objectsAt((await life.read())?.status, "routes"), []);
    const router = "ingress.apps.east-1.example.com";
    await report([{ name: "ui", prefix: "admin", router }]);
    assert.equal(await life.phase(), "ready");
    const domain = textAt(objectsAt((await life.read())?.status, "routes")[0], "domain");
    assert.match(domain, /^admin-rex-/);
    await report([{ name: "ui", prefix: "other", router }]);
    const kept = textAt(objectsAt((await life.read())?.status, "routes")[0], "domain");
    assert.equal(kept, domain, "routes are stored once");
  });

  it("fails when the agent reports an error, and a later ready report clears it", async () => {
    await using life = await openLifecycle();
    life.agents.plan("east-1", { status: "False", reason: "Error", message: "disk is full" });
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "failed");
    const { status } = (await life.read()) ?? {};
    assert.match(textAt(status, "failedReason"), /disk is full/);
    life.agents.plan("east-1", "ready");
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.equal(await life.status("rex", "failedReason"), undefined);
  });

  it("ignores reports of another placement, of a deletion, and garbage", async () => {
    await using life = await openLifecycle();
    await life.create();
    await life.settle();
    const [managed] = await life.managed();
    assert.ok(managed !== undefined);
    life.agents.plan("east-1", "silent");
    const before = objectAt((await life.read())?.status, "placement");
    for (const report of [
      { status: "False", reason: "Error", message: "x", placementId: "stale" },
      { status: "False", reason: "Deleted" },
      { status: "False", reason: "Suspended" },
      { status: "Perhaps", reason: "Nonsense" },
      { status: "False", reason: "Rejected", message: "cluster is full" },
    ]) {
      await life.agents.report(managed, report);
      await life.fleet.pass();
      assert.equal(await life.phase(), "ready", JSON.stringify(report));
    }
    assert.deepEqual(objectAt((await life.read())?.status, "placement"), before);
    assert.equal((await life.managed()).length, 1);
  });

  it("shows which parts are upgraded, and the versions that run", async () => {
    await using life = await openLifecycle();
    await life.create();
    await life.settle();
    const [managed] = await life.managed();
    assert.ok(managed !== undefined);
    await life.fleet.memory.patch(instanceAt("rex"), { spec: { versions: { product: "2.0.0" } } });
    await life.fleet.pass();
    assert.equal(textAt((await life.managed())[0]?.spec, "versions", "product"), "2.0.0");
    await life.agents.report(managed, {
      reason: "DinosaurUpdating",
      versions: { product: "2.1.0", operator: "1.0.0" },
    });
    await life.fleet.pass();
    assert.deepEqual(await life.status("rex", "upgrading"), { product: true, operator: false });
    assert.equal(await life.phase(), "ready");
    await life.agents.report(managed, { versions: { product: "2.0.0", operator: "1.0.0" } });
    await life.fleet.pass();
    assert.deepEqual(await life.status("rex", "upgrading"), { product: false, operator: false });
    assert.equal(await life.status("rex", "actualVersions", "product"), "2.0.0");
  });
});

describe("placement of an instance", () => {
  it("waits for a cluster that becomes ready, and fails after its time", async () => {
    const timeouts = { placement: 1_800 };
    await using life = await openLifecycle({ offering: { timeouts }, clusters: {} });
    await life.create("late");
    await life.fleet.pass(60_000);
    assert.equal(await life.phase("late"), "accepted");
    assert.equal(conditionOf(await life.read("late"), "Ready"), "False NoCluster");
    const head = (await life.fleet.memory.store.head()).revision;
    await life.fleet.pass(10 * minuteMs);
    const idle = (await life.fleet.memory.store.head()).revision - head;
    assert.ok(idle < 10, `an instance that waits caused ${idle} writes`);
    await life.agents.addCluster("east-1");
    await life.fleet.pass(500);
    assert.equal(await life.phase("late"), "provisioning");

    await using never = await openLifecycle({ offering: { timeouts }, clusters: {} });
    await never.create();
    await never.fleet.pass(31 * minuteMs);
    assert.equal(await never.phase(), "failed");
    assert.match(textAt((await never.read())?.status, "failedReason"), /no cluster/);
  });

  it("fails earlier when clusters report no version that is ready", async () => {
    await using life = await openLifecycle({ clusters: {} });
    await life.agents.addCluster("east-1");
    await life.agents.reportCluster("east-1", {
      operators: [{ version: "1.0.0", isReady: false, versions: ["2.0.0"] }],
    });
    await life.create();
    await life.fleet.pass(4 * minuteMs);
    assert.equal(await life.phase(), "accepted");
    await life.fleet.pass(2 * minuteMs);
    assert.equal(await life.phase(), "failed");
    assert.match(textAt((await life.read())?.status, "failedReason"), /version/);
  });

  it("fills clusters exactly, and an instance without room waits for a deletion", async () => {
    const capacity = { capacity: { instances: 2 } };
    await using life = await openLifecycle({
      clusters: { "east-1": capacity, "east-2": capacity, "east-3": {} },
    });
    await life.fleet.memory.patch(clusterAt("east-3"), { spec: { isSchedulable: false } });
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map(async (name) => await life.create(name)));
    await life.settle();
    const phases = await Promise.all(names.map(async (name) => await life.phase(name)));
    assert.deepEqual(phases.toSorted(), ["accepted", "ready", "ready", "ready", "ready"]);
    const hosts = (await life.managed()).map(({ metadata }) => metadata.namespace ?? "");
    assert.deepEqual(hosts.toSorted(), [
      "cluster-east-1",
      "cluster-east-1",
      "cluster-east-2",
      "cluster-east-2",
    ]);
    const waiting = names[phases.indexOf("accepted")] ?? "";
    const why = objectsAt((await life.read(waiting))?.status, "placement", "why");
    const reasons = why.map((each) => `${textAt(each, "cluster")} ${textAt(each, "reason")}`);
    assert.equal(reasons.length, 3);
    for (const reason of reasons) {
      assert.match(reason, /^east-[12] (had no room|is full: 2 of 2)|^east-3 is not schedulable/);
    }
    const other = names[phases.indexOf("ready")] ?? "";
    await life.fleet.as("alice").remove(instanceAt(other));
    await life.settle();
    await life.fleet.pass(1_000);
    await life.settle();
    assert.equal(await life.phase(waiting), "ready");
  });

  it("has a new id after a rejection, later each time, and ends after its time", async () => {
    await using life = await openLifecycle({ offering: { timeouts: { creation: 3_600 } } });
    life.agents.plan("east-1", { status: "False", reason: "Rejected", message: "try later" });
    await life.create();
    const ids = new Set<string>();
    for (let minute = 0; minute < 10; minute += 1) {
      await life.settle();
      ids.add(textAt((await life.managed())[0]?.spec, "placementId"));
      assert.equal(await life.phase(), "provisioning");
      await life.fleet.pass(minuteMs);
    }
    assert.ok(ids.size >= 4 && ids.size <= 10, `${ids.size} placements in 10 minutes`);
    life.agents.plan("east-1", "silent");
    await life.wait(3_600_000);
    assert.equal(await life.phase(), "failed");
    assert.match(textAt((await life.read())?.status, "failedReason"), /60 min/);
  });

  it("is repeated on another cluster when a cluster says that it is full", async () => {
    await using life = await openLifecycle({ clusters: { "east-1": {}, "east-2": {} } });
    const full = {
      status: "False",
      reason: "Rejected",
      message: "Cluster has insufficient resources",
    };
    life.agents.plan("east-1", full);
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.equal(await life.status("rex", "placement", "cluster"), "east-2");
    assert.deepEqual(
      (await life.managed()).map(({ metadata }) => metadata.namespace),
      ["cluster-east-2"],
    );
    assert.deepEqual(textsAt((await life.read())?.status, "leaving"), []);
  });

  it("returns to a cluster that was full when no other cluster is left", async () => {
    await using life = await openLifecycle();
    const full = { status: "False", reason: "Rejected", message: "cluster is full" };
    life.agents.plan("east-1", full);
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "provisioning");
    life.agents.plan("east-1", "ready");
    await life.fleet.pass(5 * minuteMs);
    await life.settle();
    assert.equal(await life.phase(), "ready");
  });
});
