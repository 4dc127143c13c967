import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { readOffering } from "../offering.ts";
import type { Offering } from "../offering.ts";
import { clusterFacts, noLoad } from "../placement/cluster-facts.ts";
import type { ClusterFacts } from "../placement/cluster-facts.ts";
import { sampleCluster } from "../clusters/sample-cluster.ts";
import { sampleOffering } from "../sample-offering.ts";
import { regionMaxima, sharedMaxima } from "./region-capacity.ts";

const offering = readOffering(sampleOffering());

function cluster(spec: JsonObject, status: JsonObject = { phase: "ready" }): ClusterFacts {
  return clusterFacts(sampleCluster(spec, status), noLoad);
}

function maximaOf(clusters: readonly ClusterFacts[], of: Offering = offering): JsonObject {
  const maxima = regionMaxima(of, (provider, region) =>
    provider === "aws" && region === "us-east-1" ? clusters : [],
  );
  const own = maxima.filter(({ provider, region }) => provider === "aws" && region === "us-east-1");
  return Object.fromEntries(own.map(({ type, max }) => [type, max ?? null]));
}

test("the capacity of a region is the sum of its clusters, for each type and for all", () => {
  const clusters = [
    cluster({ capacity: { instances: 10, types: { eval: 2 } } }),
    cluster({ capacity: { instances: 5 }, types: ["standard"] }),
  ];
  assert.deepEqual(maximaOf(clusters), { standard: 15, eval: 2, "*": 15 });
});

test("a cluster without a limit removes the bound, and a region without clusters has none", () => {
  const unlimited = { standard: null, eval: null, "*": null };
  const bounded = cluster({ capacity: { instances: 1 } });
  assert.deepEqual(maximaOf([bounded, cluster({ capacity: { instances: -1 } })]), unlimited);
  assert.deepEqual(maximaOf([bounded, cluster({})]), unlimited);
  assert.deepEqual(maximaOf([]), unlimited);
});

test("clusters that are failed, are removed or do not host the offering do not count", () => {
  const clusters = [
    cluster({ capacity: { instances: 3 } }),
    cluster({ capacity: { instances: 10 } }, { phase: "failed" }),
    cluster({ capacity: { instances: 10 } }, { phase: "deprovisioning" }),
    cluster({ capacity: { instances: 10 }, offerings: ["others"] }),
  ];
  assert.deepEqual(maximaOf(clusters), { standard: 3, eval: 3, "*": 3 });
  const multiAz = readOffering(sampleOffering({ requiresMultiAz: true }));
  assert.deepEqual(maximaOf(clusters, multiAz), { standard: null, eval: null, "*": null });
});

test("a cluster that cannot host the offering at present counts as before", () => {
  const report = { unavailable: { dinosaurs: "the data plane does not answer" } };
  const bounded = { capacity: { instances: 3 } };
  const whole = { standard: 6, eval: 6, "*": 6 };
  for (const phase of ["ready", "waiting"]) {
    const interrupted = cluster(bounded, { phase, report });
    assert.deepEqual(maximaOf([cluster(bounded), interrupted]), whole);
    assert.deepEqual(maximaOf([interrupted, interrupted]), whole);
  }
});

test("Offerings that share a region are bounded while their cluster is interrupted", () => {
  const other = readOffering({ ...sampleOffering(), metadata: { name: "dragons" } } as Resource);
  const report = { unavailable: { dinosaurs: "no answer", dragons: "no answer" } };
  const only = cluster({ capacity: { instances: 3 } }, { phase: "waiting", report });
  const shared = sharedMaxima([offering, other], (_provider, region) =>
    region === "us-east-1" ? [only] : [],
  );
  assert.deepEqual(
    shared.map(({ type, max }) => [type, max]),
    [
      ["standard", 3],
      ["eval", 3],
      ["*", 3],
    ],
  );
});

test("the limit of a region holds without clusters", () => {
  const maxima = regionMaxima(offering, () => []);
  const limited = maxima.filter(({ max }) => max !== undefined);
  assert.deepEqual(limited, [
    { offering: "dinosaurs", provider: "aws", region: "eu-west-1", type: "standard", max: 5 },
  ]);
});
