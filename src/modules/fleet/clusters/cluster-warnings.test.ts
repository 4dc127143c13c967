import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { clusterWarnings } from "./cluster-warnings.ts";
import { sampleCluster } from "./sample-cluster.ts";

const offerings = [readOffering(sampleOffering())];

function warnings(spec: JsonObject, of = offerings): readonly string[] {
  return clusterWarnings(objectAt(sampleCluster(spec), "spec"), of);
}

test("a cluster that no Offering can use is named with the field", () => {
  const name = offerings[0]?.name ?? "";
  assert.deepEqual(warnings({ offerings: [name], types: ["standard"] }), []);
  assert.deepEqual(warnings({ provider: "awz" }), ["spec.provider: no Offering has awz"]);
  assert.deepEqual(warnings({ region: "mars" }), [
    "spec.region: no Offering has the region mars of aws",
  ]);
  assert.deepEqual(warnings({ offerings: [name, "trees"], types: ["standard", "gold"] }), [
    "spec.offerings[1]: there is no Offering trees",
    "spec.types[1]: no Offering has the type gold",
  ]);
});

test("a cluster that is declared before the first Offering has no warning about its place", () => {
  assert.deepEqual(warnings({ region: "mars", types: ["gold"] }, []), []);
  assert.deepEqual(warnings({ offerings: ["trees"], region: "mars" }), [
    "spec.offerings[0]: there is no Offering trees",
  ]);
});
