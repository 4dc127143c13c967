// The life cycle of clusters, in memory: the test controls the time and plays the agent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemOptions, targetFor } from "../../src/intents/bootstrap.ts";
import { createResource } from "../../src/intents/write/create.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { clusterKey } from "../../src/modules/fleet/names.ts";
import { clusterPlace, conditionOf, openMemoryClusters, phaseOf } from "./memory-clusters.ts";
import { instancePlace, ready } from "./memory-clusters.ts";
import type { MemoryClusters } from "./memory-clusters.ts";

const simulated = { executor: { kind: "simulator" } };

/** The phases that the log shows for a cluster, in order. */
function moves({ lines }: MemoryClusters): readonly string[] {
  return lines
    .filter((line) => line.includes("cluster moved"))
    .map((line) => /"phase":"(\w+)"|phase=(\w+)/.exec(line)?.slice(1).join("") ?? line);
}

test("a simulated cluster moves through all phases and has namespace and credential", async () => {
  await using clusters = await openMemoryClusters();
  await clusters.createCluster("east-1", simulated);
  await clusters.pass();
  const cluster = await clusters.cluster("east-1");
  assert.equal(phaseOf(cluster), "ready");
  assert.deepEqual(moves(clusters), ["provisioning", "provisioned", "waiting", "ready"]);
  assert.equal(textAt(conditionOf(cluster, "Ready"), "status"), "True");
  assert.equal(textAt(cluster?.status, "namespace"), "cluster-east-1");
  const { memory } = clusters;
  const rbac = "rbac.authorization.k8s.io/v1";
  for (const [apiVersion, kind] of [
    ["v1", "ServiceAccount"],
    [rbac, "Role"],
    [rbac, "RoleBinding"],
  ] as const) {
    const place = { apiVersion, kind, namespace: "cluster-east-1", name: "agent" };
    assert.ok((await memory.read(place)) !== undefined, kind);
  }
});

test("a deleted Role of an agent is created again", async () => {
  await using clusters = await openMemoryClusters();
  await clusters.createCluster("east-1", simulated);
  await clusters.pass();
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const role = { apiVersion, kind: "Role", namespace: "cluster-east-1", name: "agent" };
  await clusters.memory.remove(role);
  assert.equal(await clusters.memory.read(role), undefined);
  await clusters.pass();
  assert.ok((await clusters.memory.read(role)) !== undefined);
});

test("a registered cluster is ready while its agent reports that it is", async () => {
  await using clusters = await openMemoryClusters();
  await clusters.createCluster("east-1");
  await clusters.pass();
  assert.equal(phaseOf(await clusters.cluster("east-1")), "waiting");
  assert.equal(
    textAt(conditionOf(await clusters.cluster("east-1"), "Ready"), "reason"),
    "AgentNotSeen",
  );
  await clusters.reportCluster("east-1", { isReady: true });
  await clusters.pass();
  assert.equal(phaseOf(await clusters.cluster("east-1")), "ready");
  await clusters.reportCluster("east-1", { isReady: false, reason: "NoNodes", message: "none" });
  await clusters.pass();
  const cluster = await clusters.cluster("east-1");
  assert.equal(phaseOf(cluster), "waiting");
  assert.equal(textAt(conditionOf(cluster, "Ready"), "reason"), "NoNodes");
});

test("a cluster whose agent is silent is not ready after the documented time", async () => {
  await using clusters = await openMemoryClusters();
  await clusters.createCluster("east-1", { agentTimeoutSeconds: 120 });
  await clusters.pass();
  await clusters.reportCluster("east-1", { isReady: true });
  await clusters.pass(110_000);
  assert.equal(phaseOf(await clusters.cluster("east-1")), "ready");
  await clusters.pass(30_000);
  const cluster = await clusters.cluster("east-1");
  assert.equal(phaseOf(cluster), "waiting");
  assert.equal(textAt(conditionOf(cluster, "Ready"), "reason"), "AgentSilent");
  await clusters.reportCluster("east-1", { isReady: true });
  await clusters.pass();
  assert.equal(phaseOf(await clusters.cluster("east-1")), "ready");
});

test("a cluster that cannot be provisioned fails with the reason, and starts again", async () => {
  await using clusters = await openMemoryClusters();
  const simulator = { provisionMs: 10_000, provisionError: "no machines" };
  await clusters.createCluster("east-1", { executor: { kind: "simulator", simulator } });
  await clusters.pass();
  assert.equal(phaseOf(await clusters.cluster("east-1")), "provisioning");
  await clusters.pass(20_000);
  const failed = await clusters.cluster("east-1");
  assert.equal(phaseOf(failed), "failed");
  assert.equal(textAt(failed?.status, "failedReason"), "no machines");
  assert.equal(textAt(conditionOf(failed, "Ready"), "message"), "no machines");
  await clusters.memory.patch(clusterPlace("east-1"), {
    spec: { executor: { simulator: { provisionError: null } } },
  });
  await clusters.pass(20_000);
  const cluster = await clusters.cluster("east-1");
  assert.equal(phaseOf(cluster), "ready");
  assert.equal(valueAt(cluster?.status, "failedReason"), undefined);
});

test("a cluster with instances cannot be deleted, and the error says what to do", async () => {
  await using clusters = await openMemoryClusters();
  await clusters.createCluster("east-1");
  await clusters.pass();
  await clusters.place("east-1", "i1");
  await assert.rejects(clusters.memory.remove(clusterPlace("east-1")), {
    code: "resource.conflict",
    message: /instances are placed on it: set spec\.isDraining to true to move them/,
  });
  assert.equal((await clusters.cluster("east-1"))?.metadata.deletionTimestamp, undefined);
});

test("a drained cluster is removed after its last instance, and its id is free", async () => {
  await using clusters = await openMemoryClusters();
  await clusters.createCluster("east-1", { isDraining: true });
  await clusters.pass();
  await clusters.place("east-1", "i1");
  await clusters.memory.remove(clusterPlace("east-1"));
  await clusters.pass(5_000);
  const leaving = await clusters.cluster("east-1");
  assert.equal(phaseOf(leaving), "deprovisioning");
  assert.match(textAt(conditionOf(leaving, "Ready"), "message"), /1 instance is on the cluster/);
  await clusters.memory.remove(instancePlace("east-1", "i1"));
  await clusters.reportInstance("east-1", "i1", {
    placementId: "p1",
    ...ready("False", "Deleted"),
  });
  await clusters.pass(20_000);
  assert.equal(await clusters.cluster("east-1"), undefined);
  assert.deepEqual(moves(clusters).slice(-2), ["deprovisioning", "cleanup"]);
  const namespace = { apiVersion: "v1", kind: "Namespace", name: "cluster-east-1" };
  assert.equal(await clusters.memory.read(namespace), undefined);
  await clusters.createCluster("east-1", simulated);
  await clusters.pass();
  assert.equal(phaseOf(await clusters.cluster("east-1")), "ready");
});

test("a namespace that belongs to another owner is not taken", async () => {
  await using clusters = await openMemoryClusters();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "cluster-east-1" } };
  await clusters.memory.create(namespace);
  await clusters.createCluster("east-1", simulated);
  await clusters.pass(5_000);
  const cluster = await clusters.cluster("east-1");
  assert.equal(phaseOf(cluster), "provisioned");
  assert.equal(textAt(conditionOf(cluster, "Synced"), "reason"), "NamespaceTaken");
  await clusters.memory.remove(clusterPlace("east-1"));
  await clusters.pass(20_000);
  assert.equal(await clusters.cluster("east-1"), undefined);
  assert.ok((await clusters.memory.read({ ...namespace, name: "cluster-east-1" })) !== undefined);
});

test("an invalid cluster is refused with the field and the reason", async () => {
  await using clusters = await openMemoryClusters();
  const refused = async (spec: Parameters<typeof clusters.createCluster>[1], why: RegExp) => {
    await assert.rejects(clusters.createCluster("east-1", spec), { message: why });
  };
  await refused({ dns: "Not A Name" }, /spec\.dns: Invalid value: "Not A Name"/);
  await refused({ executor: { kind: "kubernetes" } }, /spec\.executor\.kubernetes: Required/);
  const kubeconfig = { namespace: "a", name: "b", key: "c" };
  const kubernetes = { kubeconfig, controlPlane: { url: "ftp://x" } };
  await refused({ executor: { kind: "kubernetes", kubernetes } }, /controlPlane\.url: Invalid/);
  const long = "x".repeat(60);
  await assert.rejects(clusters.createCluster(long), { message: /metadata\.name: Invalid value/ });
  await clusters.createCluster("east-1", simulated);
  await assert.rejects(
    clusters.memory.patch(clusterPlace("east-1"), { spec: { executor: { kind: "register" } } }),
    { message: /spec\.executor\.kind: Forbidden: cannot change/ },
  );
});

test("an author must be allowed to read the Secret that a cluster names", async () => {
  await using clusters = await openMemoryClusters();
  const { intents } = clusters.memory.plane;
  const kubeconfig = { namespace: "default", name: "admin-only", key: "kubeconfig" };
  const kubernetes = { kubeconfig, controlPlane: { url: "https://cp.example" } };
  const place = { provider: "aws", region: "r1", dns: "apps.east-1.example.com" };
  const body = {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "DataPlaneCluster",
    metadata: { name: "east-1" },
    spec: { ...place, executor: { kind: "kubernetes", kubernetes } },
  };
  const user = { name: "bob", groups: [], extra: {} };
  const caller = { user, surface: "kube", warn: () => undefined };
  const { target } = targetFor(intents, body);
  const input = { caller, target, body, options: systemOptions, decodeProblems: [] };
  await assert.rejects(createResource(intents, input), {
    code: "request.forbidden",
    message: /kubeconfig: User "bob" cannot get the Secret "admin-only" in the namespace "default"/,
  });
});

test("the simulated agent reports operators and capacity", async () => {
  await using clusters = await openMemoryClusters();
  const capacity = { standard: { maxUnits: 3, remainingUnits: 2 } };
  const operators = [{ version: "2.0.0", versions: ["7", "8"] }];
  const simulator = { capacity, operators };
  await clusters.createCluster("east-1", {
    capacity: { instances: 10 },
    executor: { kind: "simulator", simulator },
  });
  await clusters.pass();
  const cluster = await clusters.cluster("east-1");
  assert.deepEqual(objectAt(cluster?.status, "report", "capacity"), capacity);
  assert.deepEqual(valueAt(cluster?.status, "report", "operators"), [
    { isReady: true, version: "2.0.0", versions: ["7", "8"] },
  ]);
  assert.equal(valueAt(cluster?.status, "remaining"), 10);
});

test("a simulated cluster has its report in every state in which it is ready", async () => {
  await using clusters = await openMemoryClusters();
  const simulator = { capacity: { standard: { maxUnits: 3 } } };
  await clusters.createCluster("east-1", { executor: { kind: "simulator", simulator } });
  await clusters.pass();
  const states = await clusters.memory.store.history(clusterKey("east-1"));
  const readyStates = states
    .map(({ body, revision }) => decodeDocument(body, revision))
    .filter((state) => phaseOf(state) === "ready");
  assert.ok(readyStates.length > 0);
  for (const { status } of readyStates) {
    assert.equal(objectsAt(status, "report", "operators").length, 1);
    assert.deepEqual(objectAt(status, "report", "capacity"), simulator.capacity);
  }
});

test("a simulated cluster forgets a capacity that its settings do not have any more", async () => {
  await using clusters = await openMemoryClusters();
  const simulator = { capacity: { standard: { maxUnits: 3, remainingUnits: 0 } } };
  await clusters.createCluster("east-1", { executor: { kind: "simulator", simulator } });
  await clusters.pass();
  const less = { capacity: { standard: null } };
  await clusters.memory.patch(clusterPlace("east-1"), { spec: { executor: { simulator: less } } });
  await clusters.pass();
  const cluster = await clusters.cluster("east-1");
  assert.deepEqual(objectAt(cluster?.status, "report", "capacity"), {});
});
