// Systems outside as runs meet them, in a whole engine over the model of the store.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  conditionIn,
  create,
  fill,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { startEngine } from "../engine.ts";
import { metric } from "../reporting/metric-names.ts";
import { done } from "../outcome.ts";
import type { Reconciler } from "../reconciler.ts";

const system = "api.example.com";
const many = 200;

function calling(
  call: Parameters<Parameters<Reconciler["reconcile"]>[1]["outside"]>[1],
): Reconciler {
  return {
    kind: widgets,
    reconcile: async (_resource, context) => {
      await context.outside(system, call);
      return done();
    },
  };
}

it("hundreds that wait for one system come back a few at a time, and all converge", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const keys = Array.from({ length: many }, (_, at) => keyOf(`r${at}`));
  await fill(rig.store, keys);
  let isUp = false;
  const calls: number[] = [];
  engine.add(
    calling(async () => {
      calls.push(rig.clock.nowMs());
      if (!isUp) throw new Error("down");
    }),
  );
  await rig.timers.advance(60_000);
  assert.ok(calls.length < 100, `${calls.length} calls of a system that is down`);
  const refused = await statusIn(rig.store, keyOf("r199"));
  assert.equal(await conditionIn(rig.store, keyOf("r199"), "Synced"), "False/CircuitOpen");
  assert.ok(Number(objectAt(refused, "reconcile")["attempts"] ?? 0) < 3);
  isUp = true;
  calls.length = 0;
  await rig.timers.advance(300_000);
  for (const key of keys) {
    assert.equal(await conditionIn(rig.store, key, "Synced"), "True/ReconcileSuccess", key.name);
  }
  for (const fromMs of calls) {
    const together = calls.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1_000);
    assert.ok(together.length <= 100, `${together.length} calls within a second`);
  }
});

it("a fresh resource of another tenant is served by a system that fails for one", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  await fill(
    rig.store,
    Array.from({ length: many }, (_, at) => keyOf(`r${at}`, "poisoned")),
  );
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata }, context) => {
      await context.outside(system, async () => {
        if (metadata.namespace === "poisoned") throw new Error("down");
        await Promise.resolve();
      });
      return done();
    },
  });
  for (let round = 0; round < 8; round++) {
    await rig.timers.advance(7_000);
    const fresh = keyOf(`fresh${round}`, "healthy");
    await create(rig.store, fresh);
    await rig.timers.advance(100);
    assert.equal(await conditionIn(rig.store, fresh, "Ready"), "True/Available");
  }
});

it("a fresh resource of another tenant is served at once while one's calls hang", async () => {
  const rig = newRig();
  const engine = startEngine(rig.ports, { owner: "one" });
  await fill(
    rig.store,
    Array.from({ length: many }, (_, at) => keyOf(`r${at}`, "hanging")),
  );
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata }, context) => {
      await context.outside(system, async (signal) => {
        if (metadata.namespace === "hanging") await rig.timers.sleep(3_600_000, signal);
      });
      return done();
    },
  });
  for (let round = 0; round < 8; round++) {
    await rig.timers.advance(7_000);
    const fresh = keyOf(`fresh${round}`, "healthy");
    await create(rig.store, fresh);
    await rig.timers.advance(100);
    assert.equal(await conditionIn(rig.store, fresh, "Ready"), "True/Available", `round ${round}`);
  }
  const stopped = engine.stop();
  await rig.timers.advance(60_000);
  await stopped;
  assert.ok((rig.counted.get(metric.externalFailures) ?? 0) > 0, "calls that hang are given up");
});
