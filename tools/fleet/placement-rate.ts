// Prints how many decisions about placement a second are possible over 1,000 clusters of a region.
// A second is one of processor time, so that other programs of the machine do not count.

import { sampleCluster } from "../../src/modules/fleet/clusters/sample-cluster.ts";
import { clusterFacts, noLoad } from "../../src/modules/fleet/placement/cluster-facts.ts";
import { place } from "../../src/modules/fleet/placement/place.ts";

const measuredMs = 2_000;

const clusters = Array.from({ length: 1_000 }, (_, at) => {
  const operators = [{ version: "1.0.0", isReady: true, versions: ["1.0.0", "1.1.0"] }];
  const report = { isReady: true, operators };
  const cluster = sampleCluster({ capacity: { instances: 100 } }, { phase: "ready", report });
  const named = { ...cluster, metadata: { ...cluster.metadata, name: `cluster-${at}` } };
  return clusterFacts(named, { ...noLoad, used: (at * 37) % 100 });
});
const request = {
  offering: "dinosaurs",
  organisation: "acme",
  provider: "aws",
  region: "us-east-1",
  isMultiAz: false,
  type: "standard",
  units: 1,
  refusedBy: [],
};

const usedMs = (): number => process.cpuUsage().user / 1_000;
const startedAt = usedMs();
let decisions = 0;
while (usedMs() - startedAt < measuredMs) {
  if (place(request, clusters).candidates.length === 0) throw new Error("a cluster has room");
  decisions += 1;
}
console.log(`${Math.round((decisions * 1_000) / measuredMs)} decisions a second`);
