import assert from "node:assert/strict";
import { it } from "node:test";
import { engineMetrics, metric } from "./metric-names.ts";

it("names say what kind of number they are, as readers of Prometheus expect", () => {
  for (const [name, { kind }] of Object.entries(engineMetrics)) {
    assert.match(name, /^setpoint_[a-z_]+$/);
    assert.equal(name.endsWith("_total"), kind === "counter", name);
    if (kind === "histogram") assert.match(name, /_seconds$/);
    if (kind === "counter") assert.doesNotMatch(name, /_seconds/);
  }
});

it("every name is defined once", () => {
  assert.deepEqual(Object.values(metric).toSorted(), Object.keys(engineMetrics).toSorted());
});
