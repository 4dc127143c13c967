// ManagedInstances in memory: the test plays the life cycle of instances and the agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { readReport } from "../../src/modules/fleet/clusters/report.ts";
import type { ReportKind } from "../../src/modules/fleet/clusters/report.ts";
import { forceDeleteAnnotation } from "../../src/modules/fleet/names.ts";
import { clusterPlace, instancePlace, openMemoryClusters, ready } from "./memory-clusters.ts";
import type { MemoryClusters } from "./memory-clusters.ts";

async function reported(clusters: MemoryClusters, id: string): Promise<ReportKind> {
  const instance = await clusters.instance("east-1", id);
  return readReport(objectAt(instance?.status, "report")).kind;
}

async function openWith(simulator?: JsonObject): Promise<MemoryClusters> {
  const clusters = await openMemoryClusters();
  const executor =
    simulator === undefined ? { kind: "register" } : { kind: "simulator", simulator };
  await clusters.createCluster("east-1", { executor });
  await clusters.pass();
  return clusters;
}

test("an instance on a simulated cluster is installed and deleted in its time", async () => {
  await using clusters = await openWith({ installMs: 5_000, deleteMs: 3_000 });
  await clusters.place("east-1", "i1");
  await clusters.pass();
  assert.equal(await reported(clusters, "i1"), "installing");
  await clusters.pass(5_000);
  assert.equal(await reported(clusters, "i1"), "ready");
  await clusters.memory.patch(instancePlace("east-1", "i1"), { spec: { isSuspended: true } });
  await clusters.pass();
  assert.equal(await reported(clusters, "i1"), "suspended");
  await clusters.memory.remove(instancePlace("east-1", "i1"));
  await clusters.pass(1_000);
  assert.ok((await clusters.instance("east-1", "i1")) !== undefined);
  await clusters.pass(5_000);
  assert.equal(await clusters.instance("east-1", "i1"), undefined);
});

test("an instance on a simulated cluster without latency is ready after one run", async () => {
  await using clusters = await openWith({});
  await clusters.place("east-1", "i1", { versions: { product: "1.0.0" } });
  await clusters.pass(100);
  const instance = await clusters.instance("east-1", "i1");
  const { kind, routes, versions } = readReport(objectAt(instance?.status, "report"));
  assert.equal(kind, "ready");
  assert.equal(routes[0]?.router, "router.apps.east-1.example.com");
  assert.deepEqual(versions, { product: "1.0.0" });
});

test("a deletion waits until the agent reports the current placement as deleted", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "i1", { placementId: "p2", host: "i1.example.com" });
  await clusters.memory.remove(instancePlace("east-1", "i1"));
  await clusters.pass();
  const stale = { placementId: "p1", ...ready("False", "Deleted") };
  await clusters.reportInstance("east-1", "i1", stale);
  await clusters.pass();
  assert.ok(
    (await clusters.instance("east-1", "i1")) !== undefined,
    "a stale report proves nothing",
  );
  await clusters.reportInstance("east-1", "i1", { placementId: "p2", ...ready("False", "Error") });
  await clusters.pass();
  assert.ok((await clusters.instance("east-1", "i1")) !== undefined);
  const current = { placementId: "p2", ...ready("False", "Deleted") };
  await clusters.reportInstance("east-1", "i1", current);
  await clusters.pass();
  assert.equal(await clusters.instance("east-1", "i1"), undefined);
});

test("a forced deletion does not wait for the agent", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "i1");
  await clusters.memory.remove(instancePlace("east-1", "i1"));
  await clusters.pass();
  assert.ok((await clusters.instance("east-1", "i1")) !== undefined);
  const annotations = { [forceDeleteAnnotation]: "cluster lost" };
  await clusters.memory.patch(instancePlace("east-1", "i1"), { metadata: { annotations } });
  await clusters.pass();
  assert.equal(await clusters.instance("east-1", "i1"), undefined);
  assert.ok(clusters.lines.some((line) => line.includes("instance released")));
});

test("a forced removal of a cluster removes the instances that wait for its agent", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "i1");
  await clusters.memory.patch(clusterPlace("east-1"), { spec: { isDraining: true } });
  await clusters.memory.remove(instancePlace("east-1", "i1"));
  await clusters.memory.remove(clusterPlace("east-1"));
  await clusters.pass(5_000);
  assert.ok((await clusters.cluster("east-1")) !== undefined);
  const metadata = { finalizers: [] };
  await clusters.memory.patch(clusterPlace("east-1"), { metadata });
  await clusters.pass(5_000);
  assert.equal(await clusters.cluster("east-1"), undefined);
  assert.equal(await clusters.instance("east-1", "i1"), undefined);
});

test("a ManagedInstance of another writer has the finalizer as well", async () => {
  await using clusters = await openWith();
  const created = await clusters.place("east-1", "i1");
  assert.deepEqual(created.metadata.finalizers, ["fleet.setpoint.dev/agent"]);
  assert.equal(textAt(created.spec, "placementId"), "p1");
});
