import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, boolean, integer, property, record } from "fast-check";
import type { JsonObject } from "../../../kernel/json.ts";
import { sampleCluster } from "../clusters/sample-cluster.ts";
import { clusterFacts, noLoad } from "./cluster-facts.ts";
import type { ClusterFacts, ClusterLoad } from "./cluster-facts.ts";
import { place } from "./place.ts";
import type { PlacementRequest } from "./place.ts";

const request: PlacementRequest = {
  offering: "dinosaurs",
  organisation: "acme",
  provider: "aws",
  region: "us-east-1",
  isMultiAz: false,
  type: "standard",
  units: 1,
  refusedBy: [],
};

const ready = { phase: "ready" };

function facts(
  id: string,
  spec: JsonObject = {},
  status: JsonObject = ready,
  load: ClusterLoad = noLoad,
): ClusterFacts {
  const cluster = sampleCluster(spec, status);
  return clusterFacts({ ...cluster, metadata: { ...cluster.metadata, name: id } }, load);
}

function used(units: number, type = "standard"): ClusterLoad {
  return { ...noLoad, used: units, usedByType: new Map([[type, units]]) };
}

function chosen(clusters: readonly ClusterFacts[], more: Partial<PlacementRequest> = {}): string[] {
  return place({ ...request, ...more }, clusters).candidates.map(({ cluster }) => cluster);
}

function reasons(
  clusters: readonly ClusterFacts[],
  more: Partial<PlacementRequest> = {},
): string[] {
  return place({ ...request, ...more }, clusters).excluded.map(({ reason }) => reason);
}

test("the least used cluster comes first, by its share of the capacity", () => {
  const clusters = [
    facts("half", { capacity: { instances: 10 } }, ready, used(5)),
    facts("tenth", { capacity: { instances: 100 } }, ready, used(10)),
    facts("free", { capacity: { instances: 10 } }, ready, noLoad),
  ];
  assert.deepEqual(chosen(clusters), ["free", "tenth", "half"]);
});

test("clusters without a limit share instances evenly, in the order of their ids", () => {
  assert.deepEqual(chosen([facts("b"), facts("a")]), ["a", "b"]);
  assert.deepEqual(chosen([facts("b"), facts("a", {}, ready, used(1))]), ["b", "a"]);
});

test("each cluster that cannot host the instance has a reason", () => {
  const cases: readonly (readonly [ClusterFacts, RegExp, Partial<PlacementRequest>?])[] = [
    [facts("c", { isSchedulable: false }), /not schedulable/],
    [facts("c", { isDraining: true }), /drained/],
    [facts("c", {}, { phase: "waiting" }), /phase is waiting/],
    [facts("c", { offerings: ["trees"] }), /does not host this offering/],
    [
      facts("c", {}, { ...ready, report: { unavailable: { dinosaurs: "no kind X" } } }),
      /cannot host this offering at present: no kind X/,
    ],
    [facts("c", { organisation: "other" }), /another organisation/],
    [facts("c", { types: ["eval"] }), /type standard/],
    [facts("c", { isMultiAz: false }), /single availability zone/, { isMultiAz: true }],
    [facts("c"), /rejected the instance as full/, { refusedBy: ["c"] }],
    [facts("c"), /assigned to cluster d/, { cluster: "d" }],
    [facts("c", { capacity: { instances: 1 } }, ready, used(1)), /full: 1 of 1/],
    [facts("c", { capacity: { types: { standard: 2 } } }, ready, used(2)), /full for type/],
  ];
  for (const [cluster, reason, more] of cases) {
    assert.deepEqual(chosen([cluster], more), []);
    assert.match(reasons([cluster], more).join(), reason);
  }
});

test("a cluster whose operators are not ready is excluded because of its versions", () => {
  const operators = [{ version: "1.0.0", isReady: false, versions: ["2.0.0"] }];
  const cluster = facts("c", {}, { phase: "ready", report: { isReady: true, operators } });
  const [excluded] = place(request, [cluster]).excluded;
  assert.equal(excluded?.lacksVersion, true);
});

test("an instance runs the newest ready operator and the newest version that it can run", () => {
  const operators = [
    { version: "1.9.0", isReady: true, versions: ["2.9.0"] },
    { version: "1.10.0", isReady: true, versions: ["2.9.0", "2.10.0-3", "2.10.0"] },
    { version: "2.0.0", isReady: false, versions: ["3.0.0"] },
  ];
  const cluster = facts("c", {}, { phase: "ready", report: { isReady: true, operators } });
  const [candidate] = place(request, [cluster]).candidates;
  assert.deepEqual(candidate?.versions, { operator: "1.10.0", product: "2.10.0-3" });
});

test("every cluster is a candidate or has a reason, whatever the clusters are", () => {
  const cluster = record({
    isSchedulable: boolean(),
    isDraining: boolean(),
    instances: integer({ min: -1, max: 5 }),
    used: integer({ min: 0, max: 5 }),
    isReady: boolean(),
  });
  check(
    property(array(cluster, { maxLength: 20 }), (given) => {
      const clusters = given.map((one, at) => {
        const spec = { isSchedulable: one.isSchedulable, isDraining: one.isDraining };
        const capacity = { instances: one.instances };
        const phase = one.isReady ? "ready" : "waiting";
        return facts(`c${at}`, { ...spec, capacity }, { phase }, used(one.used));
      });
      const { candidates, excluded } = place(request, clusters);
      const named = [...candidates, ...excluded].map((each) => each.cluster);
      assert.deepEqual(named.toSorted(), clusters.map(({ id }) => id).toSorted());
      for (const candidate of candidates) {
        const { instances, used: before } = given[Number(candidate.cluster.slice(1))] ?? fail();
        assert.ok(instances < 0 || before < instances);
      }
    }),
  );
});

function fail(): never {
  throw new Error("a candidate is one of the clusters");
}
