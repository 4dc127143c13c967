// What a lease promises: one worker at a time, told when it is no longer the one, and somebody else
// in its place soon.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  change,
  conditionIn,
  create,
  cuttable,
  edited,
  keyOf,
  newRig,
  read,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done } from "../outcome.ts";
import type { Context, Reconciler } from "../reconciler.ts";

const a = keyOf("a");

function kindOf(reconcile: Reconciler["reconcile"], more: Partial<Reconciler> = {}): Reconciler {
  return { kind: widgets, reconcile, ...more };
}

/** A reconciler that never returns by itself, and what became of its runs. */
function hanging(): {
  readonly reconciler: Reconciler;
  readonly runs: Context[];
  aborts: number[];
} {
  const runs: Context[] = [];
  const aborts: number[] = [];
  const reconciler = kindOf(async (_resource, context) => {
    runs.push(context);
    await new Promise<void>((_resolve, reject) => {
      context.signal.addEventListener("abort", () => {
        aborts.push(context.clock.nowMs());
        reject(context.signal.reason as Error);
      });
    });
    return done();
  });
  return { reconciler, runs, aborts };
}

function startedOver(
  rig: Rig,
  owner: string,
): { readonly engine: Engine; readonly cut: () => void } {
  const { view, cut } = cuttable(rig.store);
  return { engine: startEngine(rig.portsOver(view), { owner }), cut };
}

describe("a lease", () => {
  it("is kept for as long as a run takes", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    let ends = 0;
    engine.add(
      kindOf(async () => {
        await rig.timers.sleep(300_000);
        ends += 1;
        return done();
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(299_000);
    assert.equal(engine.running().length, 1);
    await rig.timers.advance(2_000);
    assert.equal(ends, 1);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
  });

  it("ends a run that cannot renew it before anybody else may begin", async () => {
    const rig = newRig();
    const startMs = rig.clock.nowMs();
    const { engine, cut } = startedOver(rig, "one");
    const first = hanging();
    engine.add(first.reconciler);
    await create(rig.store, a);
    await rig.timers.advance(100);
    cut();
    const starts: number[] = [];
    await using other = startEngine(rig.ports, { owner: "two" });
    other.add(
      kindOf(async () => {
        starts.push(rig.clock.nowMs());
        return done();
      }),
    );
    await rig.timers.advance(60_000);
    const [abortedMs = Infinity] = first.aborts;
    const [startedMs = 0] = starts;
    assert.ok(abortedMs < startedMs, `aborted at ${abortedMs}, started at ${startedMs}`);
    assert.ok(startedMs - startMs <= 31_000, "another takes over within the lease");
    assert.equal(starts.length, 1);
    await Promise.all([engine.stop(), rig.timers.advance(30_000)]);
  });

  it("survives a store that is away for less than it lasts", async () => {
    const rig = newRig();
    const { view, cut, mend } = cuttable(rig.store);
    await using engine = startEngine(rig.portsOver(view), { owner: "one" });
    engine.add(
      kindOf(async () => {
        await rig.timers.sleep(60_000);
        return done();
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(9_000);
    cut();
    await rig.timers.advance(15_000);
    mend();
    await rig.timers.advance(40_000);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
    assert.equal(rig.counted.get("setpoint_claims_lost_total"), undefined);
  });

  it("refuses what a worker writes after it was lost", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const errors: unknown[] = [];
    engine.add(
      kindOf(async (_resource, context) => {
        await rig.timers.sleep(1_000);
        try {
          await context.status.patch({ colour: "stale" });
        } catch (error) {
          errors.push(error, context.signal.aborted);
        }
        return done({ status: { colour: "staler" } });
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(10);
    // Somebody else has it by now, as after a lease that ran out unnoticed.
    const stolen = rig.store.state.live.values().next().value;
    assert.ok(stolen?.work.claim !== undefined);
    stolen.work.claim = { token: 999, owner: "two", expiresAtMs: rig.clock.nowMs() + 60_000 };
    await rig.timers.advance(5_000);
    assert.ok(isSetpointError(errors[0], "claim.lost"));
    assert.equal(errors[1], true, "the run is told");
    assert.equal("colour" in (await statusIn(rig.store, a)), false);
  });

  it("is told as lost at once when the store says so at a renewal", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const { reconciler, aborts } = hanging();
    engine.add(reconciler);
    await create(rig.store, a);
    await rig.timers.advance(10);
    const stolen = rig.store.state.live.values().next().value;
    assert.ok(stolen?.work.claim !== undefined);
    stolen.work.claim = { token: 999, owner: "two", expiresAtMs: rig.clock.nowMs() + 600_000 };
    await rig.timers.advance(11_000);
    assert.equal(aborts.length, 1);
    assert.equal(engine.running().length, 0);
  });

  it("is trusted until its own timer ends, and no longer", async () => {
    const rig = newRig();
    const { engine, cut } = startedOver(rig, "one");
    const { reconciler, aborts } = hanging();
    engine.add(reconciler);
    await create(rig.store, a);
    await rig.timers.advance(10);
    cut();
    let isBack = false;
    rig.timers.after(20_000, () => {
      isBack = aborts.length === 0;
    });
    await rig.timers.advance(26_000);
    assert.equal(isBack, true, "not before its time");
    await rig.timers.advance(2_000);
    assert.equal(aborts.length, 1, "and not after it");
    await Promise.all([engine.stop(), rig.timers.advance(30_000)]);
  });
});

describe("a report", () => {
  it("is written on the newest document when somebody changed it meanwhile", async () => {
    const rig = newRig();
    const { view } = cuttable(rig.store);
    let isChanged = false;
    const racing = new Proxy(view, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== "commit") return value;
        return async (...given: Parameters<typeof view.commit>) => {
          if (!isChanged) {
            isChanged = true;
            await change(rig.store, a, (resource) => edited(resource, { size: 9 }));
          }
          return await view.commit(...given);
        };
      },
    });
    await using engine = startEngine(rig.portsOver(racing), { owner: "one" });
    const seen: number[] = [];
    engine.add(
      kindOf(async (resource) => {
        seen.push(resource.metadata.generation);
        return done({ status: { colour: `red-${resource.metadata.generation}` } });
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(10);
    const stored = await read(rig.store, a);
    assert.deepEqual(stored?.spec, { size: 9 }, "the edit is not lost");
    assert.deepEqual(seen, [1, 2], "and is acted upon");
    assert.equal((await statusIn(rig.store, a))["observedGeneration"], 2);
  });

  it("waits for a store that is away, and needs no second run", async () => {
    const rig = newRig();
    const { view, cut, mend } = cuttable(rig.store);
    await using engine = startEngine(rig.portsOver(view), { owner: "one" });
    let runs = 0;
    engine.add(
      kindOf(async () => {
        runs += 1;
        cut();
        return done();
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(10_000);
    mend();
    await rig.timers.advance(10_000);
    assert.equal(runs, 1);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
  });

  it("that cannot be stored is replaced by one that says so", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    engine.add(kindOf(async () => done({ status: { big: "x".repeat(9_000_000) } })));
    await create(rig.store, a);
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, a, "Synced"), "False/StatusRefused");
  });
});

describe("a resource that kills its workers", () => {
  it("is put aside after three, and harms nobody else", async () => {
    const rig = newRig();
    let kills = 0;
    for (let life = 0; life < 3; life += 1) {
      const { engine, cut } = startedOver(rig, `life-${life}`);
      engine.add(
        kindOf(async (resource) => {
          if (resource.metadata.name !== "poison") return done();
          kills += 1;
          cut();
          return await Promise.withResolvers<never>().promise;
        }),
      );
      if (life === 0) await create(rig.store, keyOf("poison"));
      await rig.timers.advance(40_000);
      await Promise.all([engine.stop(), rig.timers.advance(40_000)]);
    }
    await using engine = startEngine(rig.ports, { owner: "last" });
    engine.add(
      kindOf(async (resource) => {
        if (resource.metadata.name === "poison") kills += 1;
        return done();
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(30_000);
    assert.equal(kills, 3);
    assert.equal(await conditionIn(rig.store, keyOf("poison"), "Synced"), "False/WorkerLost");
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
    await rig.timers.advance(60_000);
    assert.equal(kills, 4, "it is tried again, slowly");
  });
});
