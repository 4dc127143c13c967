import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../store/port.ts";
import { createMeter } from "../telemetry/meter.ts";
import { measureStore, storeMetrics } from "./measure-store.ts";

function linesOf(text: string, part: string): readonly string[] {
  return text.split("\n").filter((line) => line.startsWith(`setpoint_store_call_${part}`));
}

test("calls of the store are measured by operation and outcome, from the meter on", async () => {
  let nowMs = 0;
  const calls = {
    engine: "sqlite",
    head: () => Promise.resolve("unmeasured"),
    get: () => {
      nowMs += 20;
      return Promise.resolve("found");
    },
    commit: () => {
      nowMs += 2;
      return Promise.reject(new Error("full"));
    },
  };
  const { store, countIn } = measureStore(calls as unknown as Store, () => nowMs);
  const key = { kind: "configmaps", namespace: "default", name: "a" };
  assert.equal(await store.get(key), "found");
  const meter = createMeter(storeMetrics);
  countIn(meter);
  assert.equal(await store.get(key), "found");
  await assert.rejects(store.commit([]), /full/);
  assert.equal(await store.head(), "unmeasured");
  assert.equal(store.engine, "sqlite");
  const text = meter.text();
  assert.deepEqual(linesOf(text, "duration_seconds_count"), [
    'setpoint_store_call_duration_seconds_count{operation="get",outcome="success"} 1',
    'setpoint_store_call_duration_seconds_count{operation="commit",outcome="error"} 1',
  ]);
  assert.deepEqual(linesOf(text, "duration_seconds_sum"), [
    'setpoint_store_call_duration_seconds_sum{operation="get",outcome="success"} 0.02',
    'setpoint_store_call_duration_seconds_sum{operation="commit",outcome="error"} 0.002',
  ]);
});
