import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, integer, property, record } from "fast-check";
import type { JsonObject } from "../../../kernel/json.ts";
import { sampleCluster } from "../clusters/sample-cluster.ts";
import { fleetVersion } from "../names.ts";
import { clusterFacts, noLoad } from "../placement/cluster-facts.ts";
import type { ClusterFacts } from "../placement/cluster-facts.ts";
import { decideScaling } from "./decide.ts";
import type { ScalingStep } from "./decide.ts";
import { regionOf } from "./region.ts";
import { readScalingRule } from "./rule.ts";
import type { ScalingRule } from "./rule.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");

function rule(spec: JsonObject = {}, status: JsonObject = {}): ScalingRule {
  return readScalingRule({
    apiVersion: fleetVersion,
    kind: "ScalingRule",
    metadata: { name: "east", uid: "rule-1", generation: 1, creationTimestamp: "" },
    spec: {
      offering: "dinosaurs",
      provider: "aws",
      region: "us-east-1",
      slack: { units: 10 },
      maxClusters: 3,
      template: {},
      ...spec,
    },
    status,
  });
}

interface Given {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly clusters?: readonly ClusterFacts[];
  readonly afterMs?: number;
}

/** Clusters whose names begin with "own" belong to the rule. */
function step({ spec = {}, status = {}, clusters = [], afterMs = 0 }: Given): ScalingStep {
  const given = rule(spec, status);
  const region = regionOf(given, clusters, (id) => id.startsWith("own"));
  return decideScaling({ rule: given, region, nowMs: startMs + afterMs });
}

function shown(given: Given): string {
  const found = step(given);
  switch (found.kind) {
    case "create":
      return "create";
    case "reopen":
    case "drain":
    case "remove":
      return `${found.kind} ${found.cluster}`;
    case "mark":
      return `mark ${found.surplus ?? "none"}`;
    case "rest":
      return `${found.reason} ${found.againMs ?? ""}`.trim();
    default:
      return found satisfies never;
  }
}

/** Its agent cannot apply the Offering. */
function unavailable(id: string, spec: JsonObject = {}, phase = "ready"): ClusterFacts {
  const sample = sampleCluster(
    { capacity: { instances: 20 }, ...spec },
    { phase, report: { unavailable: { dinosaurs: "no kind ManagedDinosaur" } } },
  );
  return clusterFacts({ ...sample, metadata: { ...sample.metadata, name: id } }, noLoad);
}

function cluster(id: string, used = 0, spec: JsonObject = {}, phase = "ready"): ClusterFacts {
  const sample = sampleCluster({ capacity: { instances: 20 }, ...spec }, { phase });
  const load = { ...noLoad, used, usedByType: new Map([["standard", used]]) };
  return clusterFacts({ ...sample, metadata: { ...sample.metadata, name: id } }, load);
}

test("a cluster is created when less is free than wanted", () => {
  assert.equal(shown({ clusters: [cluster("a", 10)] }), "EnoughCapacity");
  assert.equal(shown({ clusters: [cluster("a", 11)] }), "create");
  assert.equal(shown({ clusters: [] }), "create");
});

test("a share of the units in use can be wanted, with a first cluster in any case", () => {
  const spec = { slack: { percent: 50 } };
  assert.equal(shown({ spec, clusters: [cluster("a", 13)] }), "EnoughCapacity");
  assert.equal(shown({ spec, clusters: [cluster("a", 14)] }), "create");
  assert.equal(shown({ spec, clusters: [] }), "create");
});

test("a cluster that is being created counts, so that one is created at a time", () => {
  const clusters = [cluster("a", 20), cluster("own-1", 0, {}, "provisioning")];
  assert.equal(shown({ clusters }), "EnoughCapacity");
});

test("a cluster that cannot host the Offering at present is not counted as coming", () => {
  assert.equal(shown({ clusters: [unavailable("a")] }), "create");
  assert.equal(shown({ clusters: [unavailable("a", {}, "waiting")] }), "create");
  assert.equal(shown({ clusters: [cluster("b"), unavailable("a")] }), "EnoughCapacity");
});

test("a cluster of the rule that cannot host the Offering ends the creation of more", () => {
  for (const phase of ["ready", "waiting"]) {
    const own = unavailable("own-1", {}, phase);
    assert.equal(shown({ clusters: [cluster("a", 20), own] }), "ClusterUnavailable");
    assert.equal(shown({ clusters: [cluster("a", 5), own] }), "EnoughCapacity");
  }
  const closed = unavailable("own-1", { isSchedulable: false });
  assert.equal(shown({ clusters: [cluster("a", 20), closed] }), "create");
});

test("the limit of the region and a failed cluster end the creation of more", () => {
  const full = ["a", "b", "c"].map((id) => cluster(id, 20));
  assert.equal(shown({ clusters: full }), "LimitReached");
  const failed = [cluster("a", 20), cluster("own-1", 0, {}, "failed")];
  assert.equal(shown({ clusters: failed }), "ClusterFailed");
});

test("clusters that cannot host the type, and those of other regions, do not count", () => {
  const spec = { type: "standard" };
  for (const other of [
    { types: ["eval"] },
    { offerings: ["other"] },
    { organisation: "acme" },
    { region: "eu-west-1" },
    { isSchedulable: false },
  ]) {
    assert.equal(shown({ spec, clusters: [cluster("a", 0, other)] }), "create");
  }
  const byType = { capacity: { instances: 100, types: { standard: 5 } } };
  assert.equal(shown({ spec, clusters: [cluster("a", 0, byType)] }), "create");
  assert.equal(shown({ clusters: [cluster("a", 0, byType)] }), "EnoughCapacity");
});

test("a cluster without a limit is always enough", () => {
  const endless = cluster("a", 500, { capacity: { instances: -1 } });
  assert.equal(shown({ clusters: [endless] }), "EnoughCapacity");
});

test("an empty cluster of the rule is drained when it was not needed for a time", () => {
  const spec = { removeAfterSeconds: 60 };
  const clusters = [cluster("a", 5), cluster("own-1")];
  assert.equal(shown({ clusters }), "EnoughCapacity", "without a time it stays");
  assert.equal(shown({ spec, clusters }), "mark own-1");
  const status = { surplus: { cluster: "own-1", since: "2026-01-01T00:00:00Z" } };
  assert.equal(shown({ spec, status, clusters }), "EnoughCapacity 60000");
  assert.equal(shown({ spec, status, clusters, afterMs: 60_000 }), "drain own-1");
  const needed = [cluster("a", 15), cluster("own-1")];
  assert.equal(shown({ spec, status, clusters: needed }), "mark none");
});

test("a drained cluster is removed when it is empty", () => {
  const spec = { removeAfterSeconds: 60 };
  const drained = cluster("own-1", 0, { isDraining: true });
  assert.equal(shown({ spec, clusters: [cluster("a"), drained] }), "remove own-1");
  const used = cluster("own-1", 1, { isDraining: true });
  assert.equal(shown({ spec, clusters: [cluster("a"), used] }), "Draining");
});

test("a drained cluster is opened again when it is needed", () => {
  const drained = cluster("own-1", 0, { isDraining: true });
  assert.equal(shown({ clusters: [cluster("a", 15), drained] }), "reopen own-1");
});

test("clusters of other origin, used ones and the last ones are never removed", () => {
  const spec = { removeAfterSeconds: 60, slack: { units: 0 } };
  const rest = "EnoughCapacity";
  assert.equal(shown({ spec, clusters: [cluster("own-1")] }), rest);
  assert.equal(shown({ spec, clusters: [cluster("a"), cluster("b")] }), rest);
  assert.equal(shown({ spec, clusters: [cluster("a"), cluster("own-1", 1)] }), rest);
  const two = { ...spec, minClusters: 2 };
  assert.equal(shown({ spec: two, clusters: [cluster("a"), cluster("own-1")] }), rest);
});

test("following a rule ends with enough free units and does not oscillate", () => {
  const loads = array(integer({ min: 0, max: 20 }), { maxLength: 6 });
  const settings = record({
    units: integer({ min: 0, max: 60 }),
    maxClusters: integer({ min: 1, max: 8 }),
    minClusters: integer({ min: 1, max: 2 }),
  });
  check(
    property(loads, settings, (used, { units, maxClusters, minClusters }) => {
      const spec = { slack: { units }, maxClusters, minClusters, removeAfterSeconds: 0 };
      let clusters = used.map((load, at) => cluster(`own-${at}`, load));
      let status: JsonObject = {};
      for (let turn = 0; turn < 100; turn += 1) {
        const next = step({ spec, status, clusters });
        if (next.kind === "rest") return checkEnd(spec, clusters);
        if (next.kind === "mark") {
          const since = "2026-01-01T00:00:00Z";
          status = next.surplus === undefined ? {} : { surplus: { cluster: next.surplus, since } };
        }
        if (next.kind === "create") clusters.push(cluster(`own-new-${turn}`));
        if (next.kind === "remove") clusters = clusters.filter(({ id }) => id !== next.cluster);
        if (next.kind === "drain" || next.kind === "reopen") {
          clusters = clusters.map((one) =>
            one.id === next.cluster
              ? cluster(one.id, one.load.used, { isDraining: next.kind === "drain" })
              : one,
          );
        }
      }
      assert.fail("the rule oscillates");
    }),
  );
});

function checkEnd(spec: JsonObject, clusters: readonly ClusterFacts[]): void {
  const given = rule(spec);
  const { free, wanted } = regionOf(given, clusters, () => true);
  assert.ok(free >= wanted || clusters.length >= given.maxClusters);
  assert.ok(clusters.length >= Math.min(given.minClusters, given.maxClusters));
}
