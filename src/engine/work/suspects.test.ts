// A resource that takes its process down is found, and those beside it are not taken for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  conditionIn,
  create,
  cuttable,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Store } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import { done } from "../outcome.ts";

const neighbours = Array.from({ length: 10 }, (_, index) => keyOf(`slow-${index}`));
const poison = keyOf("poison");

test("neighbours of a resource that kills its workers are not put aside", async () => {
  const rig = newRig();
  for (const key of neighbours) await create(rig.store, key);
  let kills = 0;
  for (let life = 0; life < 12; life += 1) {
    const { view, cut } = cuttable(rig.store);
    const engine = startEngine(rig.portsOver(view), { owner: `life-${life}` });
    let isDead = false;
    engine.add({
      kind: widgets,
      reconcile: async ({ metadata: { name } }) => {
        if (name !== poison.name) {
          await rig.timers.sleep(15_000);
          return done();
        }
        kills += 1;
        isDead = true;
        cut();
        return await Promise.withResolvers<never>().promise;
      },
    });
    await rig.timers.advance(100);
    if (life === 0) await create(rig.store, poison);
    for (let waited = 0; waited < 300; waited += 1) {
      if (isDead) break;
      await rig.timers.advance(1_000);
    }
    cut();
    await Promise.all([engine.stop(), rig.timers.advance(60_000)]);
    const isAside = (await conditionIn(rig.store, poison, "Synced")) === "False/WorkerLost";
    assert.equal(isAside, life > 2, "after three losses, and once more for each chance");
    for (const key of neighbours) {
      assert.notEqual(await conditionIn(rig.store, key, "Synced"), "False/WorkerLost", key.name);
    }
  }
  assert.ok(kills <= 10, `${kills}`);
  for (const key of neighbours) {
    assert.equal(await conditionIn(rig.store, key, "Synced"), "True/ReconcileSuccess", key.name);
    const { reconcile } = await statusIn(rig.store, key);
    assert.equal(JSON.stringify(reconcile).includes("begun"), false, "a report takes it back");
  }
});

test("one that hangs does not hold up the others that were lost with it", async () => {
  const rig = newRig();
  const hanging = keyOf("a-hanging");
  const innocent = neighbours.slice(0, 5);
  for (const key of [hanging, ...innocent]) await create(rig.store, key);
  for (let life = 0; life < 3; life += 1) {
    const { view, cut } = cuttable(rig.store);
    const engine = startEngine(rig.portsOver(view), { owner: `life-${life}` });
    engine.add({
      kind: widgets,
      reconcile: async ({ metadata: { name } }, { signal }) => {
        if (name === hanging.name) await rig.timers.sleep(3_600_000, signal);
        await rig.timers.sleep(2_000, signal);
        return done();
      },
    });
    const isLast = life === 2;
    await rig.timers.advance(isLast ? 45_000 : 1_000);
    if (!isLast) cut();
    await Promise.all([engine.stop(), rig.timers.advance(60_000)]);
  }
  for (const key of innocent) {
    assert.equal(await conditionIn(rig.store, key, "Synced"), "True/ReconcileSuccess", key.name);
  }
  const { reconcile } = await statusIn(rig.store, hanging);
  assert.match(JSON.stringify(reconcile), /"times":1/, "the last time others were to blame");
});

test("what is handed back before it began keeps what is known of it", async () => {
  const rig = newRig();
  await create(rig.store, poison);
  const request = { owner: "lost", kinds: [widgets], limit: 1, leaseMs: 1_000 };
  for (let life = 0; life < 2; life += 1) {
    assert.equal((await rig.store.claim(request)).length, 1);
    rig.clock.advanceMs(2_000);
  }
  const { view, claimed } = withClaims(rig.store);
  const engine = startEngine(rig.portsOver(view), { owner: "one" });
  engine.add({ kind: widgets, reconcile: async () => await Promise.resolve(done()) });
  await Promise.all([claimed.then(async () => await engine.stop()), rig.timers.advance(100)]);
  assert.deepEqual(await statusIn(rig.store, poison), {}, "it was not run");
  const [claim] = await rig.store.claim(request);
  assert.equal(claim?.attempts, 4);
});

/** A view of a store that tells when something is asked for, before it is answered. */
function withClaims(store: Store): { readonly view: Store; readonly claimed: Promise<void> } {
  const { promise: claimed, resolve } = Promise.withResolvers<void>();
  const view = new Proxy(store, {
    get: (target, name) => {
      if (name === "claim") resolve();
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { view, claimed };
}
