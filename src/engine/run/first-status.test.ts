// What can be seen of a resource while its first run is under way, and what that costs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotated, change, conditionIn, create } from "../../../tests/engine/rig.ts";
import { keyOf, newRig, statusIn, widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { annotations } from "../names.ts";
import { done, failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";

const a = keyOf("a");
const remove = async (): Promise<Outcome> => await Promise.resolve(done());

async function revisionOf(rig: Rig): Promise<number> {
  return (await rig.store.head()).revision;
}

/** A run that ends when the test says how. */
function held(rig: Rig, hasRemove: boolean): { engine: Engine; end: (outcome: Outcome) => void } {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const engine = startEngine(rig.ports, { owner: "one" });
  const reconcile = async (): Promise<Outcome> => await promise;
  engine.add({ kind: widgets, reconcile, ...(hasRemove ? { remove } : {}) });
  return { engine, end: resolve };
}

async function seen(rig: Rig): Promise<readonly (string | undefined)[]> {
  return [await conditionIn(rig.store, a, "Ready"), await conditionIn(rig.store, a, "Synced")];
}

test("goes along with the finalizer, and costs no write", async () => {
  const rig = newRig();
  await create(rig.store, a);
  const { engine, end } = held(rig, true);
  await rig.timers.advance(1);
  assert.deepEqual(await seen(rig), ["False/InProgress", "Unknown/InProgress"]);
  assert.equal(await revisionOf(rig), 2, "the resource, and its finalizer");
  await rig.timers.advance(5_000);
  assert.equal(await revisionOf(rig), 2, "once is enough");
  end(done());
  await rig.timers.advance(1);
  assert.deepEqual(await seen(rig), ["True/Available", "True/ReconcileSuccess"]);
  assert.equal(await revisionOf(rig), 3);
  await engine.stop();
});

test("is said of a kind without a finalizer when the first run takes a while", async () => {
  const rig = newRig();
  await create(rig.store, a);
  const { engine, end } = held(rig, false);
  await rig.timers.advance(900);
  assert.equal(await revisionOf(rig), 1);
  await rig.timers.advance(600);
  assert.deepEqual(await seen(rig), ["False/InProgress", "Unknown/InProgress"]);
  assert.equal((await statusIn(rig.store, a))["observedGeneration"], undefined);
  end(done());
  await rig.timers.advance(1);
  assert.deepEqual(await seen(rig), ["True/Available", "True/ReconcileSuccess"]);
  await engine.stop();
});

test("is not said of what ends soon", async () => {
  const rig = newRig();
  await create(rig.store, a);
  await using engine = startEngine(rig.ports, { owner: "one" });
  engine.add({ kind: widgets, reconcile: async () => await Promise.resolve(done()) });
  await rig.timers.advance(5_000);
  assert.equal(await revisionOf(rig), 2);
});

test("gives way to why the first run failed, whatever came between", async () => {
  for (const isPaused of [false, true]) {
    const rig = newRig();
    await create(rig.store, a);
    const { engine, end } = held(rig, true);
    await rig.timers.advance(1);
    if (isPaused) {
      await change(rig.store, a, (resource) => annotated(resource, annotations.paused, "true"));
    }
    end(failed("Broken", "it is", { retry: "never" }));
    await rig.timers.advance(1);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "False/Broken");
    await engine.stop();
  }
});

test("is not said about what has been reported on", async () => {
  const rig = newRig();
  await create(rig.store, a);
  const first = held(rig, false);
  first.end(done());
  await rig.timers.advance(1);
  await first.engine.stop();
  const before = await revisionOf(rig);
  const second = held(rig, false);
  await change(rig.store, a, (resource) => annotated(resource, annotations.request, "now"));
  await rig.timers.advance(5_000);
  assert.equal(await revisionOf(rig), before + 1, "the request alone");
  assert.deepEqual(await seen(rig), ["True/Available", "True/ReconcileSuccess"]);
  second.end(done());
  await rig.timers.advance(1);
  await second.engine.stop();
});
