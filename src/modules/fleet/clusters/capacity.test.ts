import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterCapacity } from "./capacity.ts";
import { sampleCluster } from "./sample-cluster.ts";

test("a cluster without a declared capacity has no limit, and -1 is no limit", () => {
  assert.deepEqual(clusterCapacity(sampleCluster()), {
    total: undefined,
    byType: new Map(),
    fullTypes: [],
  });
  const capacity = { instances: -1, types: { standard: -1, eval: 0 } };
  const read = clusterCapacity(sampleCluster({ capacity }));
  assert.equal(read.total, undefined);
  assert.deepEqual(read.byType, new Map([["eval", 0]]));
});

test("the smaller of the declared and the reported capacity counts", () => {
  const capacity = { instances: 10, types: { standard: 5, eval: 3 } };
  const reported = {
    standard: { maxUnits: 2, remainingUnits: 0 },
    eval: { maxUnits: 9, remainingUnits: 4 },
    large: { maxUnits: 1 },
    small: { maxUnits: -1 },
  };
  const cluster = sampleCluster({ capacity }, { report: { isReady: true, capacity: reported } });
  assert.deepEqual(clusterCapacity(cluster), {
    total: 10,
    byType: new Map([
      ["standard", 2],
      ["eval", 3],
      ["large", 1],
    ]),
    fullTypes: ["standard"],
  });
});
