// That work starts when it comes, and that looking for it costs nothing while there is none.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, cuttable, keyOf, newRig, widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import type { Store } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { again, done } from "../outcome.ts";
import type { Reconciler } from "../reconciler.ts";

/** The store, and how often it was asked for work. */
function counted(store: Store): { readonly view: Store; readonly claims: () => number } {
  let claims = 0;
  const view = new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as (...given: readonly unknown[]) => unknown;
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]) => {
        if (name === "claim") claims += 1;
        return value.apply(target, [...given]);
      };
    },
  });
  return { view, claims: () => claims };
}

function startedAt(rig: Rig, engine: Engine, more: Partial<Reconciler> = {}): number[] {
  const starts: number[] = [];
  const startMs = rig.clock.nowMs();
  engine.add({
    kind: widgets,
    reconcile: async () => {
      starts.push(rig.clock.nowMs() - startMs);
      return await Promise.resolve(done());
    },
    ...more,
  });
  return starts;
}

describe("the claim loop", () => {
  it("starts what arrives at the moment it arrives", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const starts = startedAt(rig, engine);
    for (const name of ["a", "b", "c"]) {
      await rig.timers.advance(1_234);
      await create(rig.store, keyOf(name));
      await rig.timers.advance(0);
    }
    assert.deepEqual(starts, [1_234, 2_468, 3_702]);
  });

  it("starts what is due later at the moment it is due", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const starts: number[] = [];
    const startMs = rig.clock.nowMs();
    engine.add({
      kind: widgets,
      reconcile: async () => {
        starts.push(rig.clock.nowMs() - startMs);
        return await Promise.resolve(again(1_500));
      },
    });
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(5_000);
    assert.deepEqual(starts, [0, 1_500, 3_000, 4_500]);
  });

  it("does not ask while there is nothing to do", async () => {
    const rig = newRig();
    const { view, claims } = counted(rig.store);
    await using engine = startEngine(rig.portsOver(view), { owner: "one" });
    startedAt(rig, engine, { resyncMs: 0 });
    for (let index = 0; index < 20; index += 1) await create(rig.store, keyOf(`w-${index}`));
    await rig.timers.advance(1_000);
    const before = claims();
    await rig.timers.advance(600_000);
    assert.ok(claims() - before <= 21, `${claims() - before} claims in ten minutes`);
  });

  it("asks a few times and not for each of many that come together", async () => {
    const rig = newRig();
    const { view, claims } = counted(rig.store);
    for (let index = 0; index < 500; index += 1) {
      await create(rig.store, keyOf(`w-${index}`, `team-${index % 5}`));
    }
    await using engine = startEngine(rig.portsOver(view), { owner: "one" });
    const starts = startedAt(rig, engine);
    await rig.timers.advance(1_000);
    assert.equal(starts.length, 500);
    assert.ok(claims() <= 20, `${claims()} claims`);
  });

  it("goes on by itself when the store comes back", async () => {
    const rig = newRig();
    const { view, cut, mend } = cuttable(rig.store);
    await using engine = startEngine(rig.portsOver(view), { owner: "one" });
    const starts = startedAt(rig, engine);
    cut();
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(60_000);
    assert.deepEqual(starts, []);
    mend();
    await rig.timers.advance(6_000);
    assert.equal(starts.length, 1);
  });
});
