// Runs that are told that what they work on is not wanted any more.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  annotated,
  change,
  conditionIn,
  create,
  cuttable,
  deleted,
  edited,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Store } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import { annotations } from "../names.ts";
import { done } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { Context, Reconciler } from "../reconciler.ts";
import { reconcileStatusOf } from "./status.ts";
import { Superseded } from "./superseded.ts";
import { systemCause } from "../../kernel/cause.ts";

const a = keyOf("a");

/** Works for ten seconds whatever it is told, and notes what it was told. */
function stubborn(rig: Rig, told: string[]): Reconciler["reconcile"] {
  return async (resource, { superseded }) => {
    superseded.addEventListener("abort", () => {
      assert.ok(superseded.reason instanceof Superseded);
      told.push(`${resource.metadata.generation} ${superseded.reason.why}`);
    });
    await rig.timers.sleep(10_000);
    return done();
  };
}

/** What a run of generation 1 is told when this is written while it goes on. */
async function toldOf(edit: (resource: Resource) => Resource): Promise<readonly string[]> {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const told: string[] = [];
  engine.add({ kind: widgets, reconcile: stubborn(rig, told) });
  await create(rig.store, a);
  await rig.timers.advance(5_000);
  await change(rig.store, a, edit);
  await rig.timers.advance(200);
  const soon = [...told];
  assert.equal(engine.running()[0]?.isAborted, false, "it is told, and not stopped");
  await rig.timers.advance(20_000);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
  return soon;
}

it("a run is told of a new spec, and not stopped", async () => {
  assert.deepEqual(await toldOf((each) => edited(each, { size: 2 })), ["1 changed"]);
});

it("a run is told of a deletion, and not stopped", async () => {
  assert.deepEqual(await toldOf(deleted), ["1 deleted"]);
});

it("a run is told of a pause, and not stopped", async () => {
  const paused = (each: Resource): Resource => annotated(each, annotations.paused, "true");
  assert.deepEqual(await toldOf(paused), ["1 paused"]);
});

it("a run is not told of what does not change its task", async () => {
  assert.deepEqual(await toldOf((each) => annotated(each, "note", "new")), []);
});

it("what changed before a run asked is told as well", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const told: unknown[] = [];
  engine.add({
    kind: widgets,
    reconcile: async (_resource, context) => {
      await rig.timers.sleep(3_000);
      const { superseded } = context;
      await rig.timers.sleep(1_000);
      told.push(superseded.aborted);
      return done();
    },
  });
  await create(rig.store, a);
  await rig.timers.advance(1_000);
  await change(rig.store, a, (each) => edited(each, { size: 2 }));
  await rig.timers.advance(20_000);
  assert.deepEqual(told, [true, false]);
});

it("a run is not told of what changed before it began, however late that is seen", async () => {
  const rig = newRig();
  let isClaiming = true;
  let read = Promise.resolve();
  const view = new Proxy(rig.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === "claim" && !isClaiming) return async () => await Promise.resolve([]);
      if (name === "changes") {
        return async (...given: Parameters<Store["changes"]>) => {
          await read;
          return await target.changes(...given);
        };
      }
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  await using engine = startEngine(rig.portsOver(view), { owner: "one" });
  const told: string[] = [];
  engine.add({ kind: widgets, reconcile: stubborn(rig, told) });
  // While one listens the log is followed; from now on nothing is claimed, and it is read late.
  await create(rig.store, a);
  await rig.timers.advance(1_000);
  const gate = Promise.withResolvers<void>();
  isClaiming = false;
  read = gate.promise;
  const b = keyOf("b");
  await create(rig.store, b);
  await rig.store.commit([
    { kind: "delete", cause: systemCause, key: b, when: { kind: "exists" } },
  ]);
  await create(rig.store, b);
  await change(rig.store, b, (each) => annotated(each, annotations.paused, "true"));
  await change(rig.store, b, (each) => annotated(each, annotations.paused, "false"));
  await change(rig.store, b, (each) => edited(each, { size: 2 }));
  await rig.timers.advance(1_000);
  isClaiming = true;
  await rig.timers.advance(1_000);
  assert.equal(engine.running().length, 2);
  gate.resolve();
  await rig.timers.advance(1_000);
  const before = [...told];
  await change(rig.store, b, (each) => edited(each, { size: 3 }));
  await rig.timers.advance(1_000);
  const after = [...told];
  await rig.timers.advance(30_000);
  assert.deepEqual(before, []);
  assert.deepEqual(after, ["2 changed"]);
});

it("its own status and progress, and runs of others, supersede nobody", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const aborted: boolean[] = [];
  engine.add({
    kind: widgets,
    reconcile: async (_resource, { superseded, status, progress }) => {
      for (let index = 0; index < 5; index += 1) {
        await status.patch({ index });
        await progress({ done: index, of: 5, message: "" });
        await rig.timers.sleep(500);
      }
      aborted.push(superseded.aborted);
      return done();
    },
  });
  for (const name of ["a", "b", "c"]) await create(rig.store, keyOf(name));
  await rig.timers.advance(10_000);
  assert.deepEqual(aborted, [false, false, false]);
});

it("a removal is not told of a new spec, but of a pause", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const told: string[] = [];
  engine.add({ kind: widgets, reconcile: async () => done(), remove: stubborn(rig, told) });
  await create(rig.store, a);
  await rig.timers.advance(10);
  await change(rig.store, a, deleted);
  await rig.timers.advance(1_000);
  await change(rig.store, a, (each) => edited(each, { size: 2 }));
  await rig.timers.advance(1_000);
  assert.deepEqual(told, []);
  await change(rig.store, a, (each) => annotated(each, annotations.paused, "true"));
  await rig.timers.advance(1_000);
  assert.deepEqual(told, ["2 paused"]);
  await rig.timers.advance(20_000);
});

it("a run that its author ends has not failed, and the new spec is run at once", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const seen: string[] = [];
  const reconcile = async (resource: Resource, { superseded }: Context): Promise<Outcome> => {
    const { generation } = resource.metadata;
    seen.push(`${generation} at ${rig.clock.nowMs()}`);
    try {
      await rig.timers.sleep(60_000, superseded);
    } catch (error) {
      // As clients do that wrap what they catch.
      throw new Error("the call was cut short", { cause: error });
    }
    return done();
  };
  engine.add({ kind: widgets, reconcile });
  await create(rig.store, a);
  const beganMs = rig.clock.nowMs();
  await rig.timers.advance(30_000);
  const before = await rig.store.get(a);
  await change(rig.store, a, (each) => edited(each, { size: 2 }));
  await rig.timers.advance(1_000);
  assert.equal(seen.length, 2);
  const restartedMs = Number(seen[1]?.split(" at ")[1]);
  assert.ok(restartedMs - beganMs < 30_500, `after ${restartedMs - beganMs} ms`);
  assert.equal((await rig.store.get(a))?.revision, (before?.revision ?? 0) + 1, "nothing is said");
  await rig.timers.advance(60_000);
  const status = await statusIn(rig.store, a);
  assert.equal(status["observedGeneration"], 2);
  assert.equal(reconcileStatusOf(status).attempts, undefined);
  assert.deepEqual(
    rig.said.filter(({ text }) => text === "reconciler threw an error"),
    [],
  );
});

it("a system outside is not blamed for a call that was cut short for it", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  let calls = 0;
  engine.add({
    kind: widgets,
    reconcile: async (_resource, { outside, superseded }) => {
      await outside("api", async () => {
        calls += 1;
        await rig.timers.sleep(2_000, superseded);
      });
      return done();
    },
  });
  await create(rig.store, a);
  for (let size = 2; size < 12; size += 1) {
    await rig.timers.advance(1_000);
    await change(rig.store, a, (each) => edited(each, { size }));
  }
  await rig.timers.advance(10_000);
  assert.equal(calls, 11);
  assert.equal(await conditionIn(rig.store, a, "Synced"), "True/ReconcileSuccess");
});

it("an operation begins no further step, and goes on there when it is about the same", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const steps: string[] = [];
  const step = (name: string, generation: number) => ({
    name,
    run: async (): Promise<string> => {
      steps.push(`${generation} ${name}`);
      await rig.timers.sleep(2_000);
      return name;
    },
  });
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata: { generation } }, { perform, superseded }) => {
      const names = ["one", "two", "three"];
      await perform({
        name: "build",
        until: superseded,
        steps: names.map((name) => step(name, generation)),
      });
      return done();
    },
  });
  await create(rig.store, a);
  await rig.timers.advance(1_000);
  await change(rig.store, a, (each) => edited(each, { size: 2 }));
  await rig.timers.advance(20_000);
  assert.deepEqual(steps, ["1 one", "2 two", "2 three"]);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
});

it("whoever does not ask, or is over soon, costs no look at the log", async () => {
  const rig = newRig();
  let looks = 0;
  const view = new Proxy(rig.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === "changes" || name === "advancedBeyond" || name === "head") looks += 1;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  await using engine = startEngine(rig.portsOver(view), { owner: "one" });
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata: { name } }, context) => {
      if (name === "asks") assert.equal(context.superseded.aborted, false);
      await rig.timers.sleep(name === "asks" ? 50 : 5_000);
      return done();
    },
  });
  await create(rig.store, keyOf("asks"));
  await create(rig.store, keyOf("silent"));
  await rig.timers.advance(10_000);
  assert.equal(looks, 0);
});

it("when the store comes back, everyone is told what was missed", async () => {
  const rig = newRig();
  const { view, cut, mend } = cuttable(rig.store);
  await using engine = startEngine(rig.portsOver(view), { owner: "one", leaseMs: 60_000 });
  const told: string[] = [];
  engine.add({ kind: widgets, reconcile: stubborn(rig, told) });
  await create(rig.store, a);
  await rig.timers.advance(1_000);
  cut();
  await change(rig.store, a, (each) => edited(each, { size: 2 }));
  await change(rig.store, a, (each) => annotated(each, "note", "x"));
  await rig.timers.advance(2_000);
  assert.deepEqual(told, []);
  mend();
  await rig.timers.advance(2_000);
  assert.equal(told.length, 1);
  await rig.timers.advance(20_000);
});

it("nothing is left behind once nobody listens", async () => {
  const rig = newRig();
  const told: string[] = [];
  {
    await using engine = startEngine(rig.ports, { owner: "one" });
    engine.add({ kind: widgets, reconcile: stubborn(rig, told) });
    await create(rig.store, a);
    await rig.timers.advance(20_000);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
    await rig.timers.advance(200);
  }
  assert.equal(rig.timers.pendingCount(), 0);
  await change(rig.store, a, (each) => edited(each, { size: 2 }));
  await rig.timers.advance(1_000);
  assert.deepEqual(told, []);
});
