// What can be seen of a resource while a run that is not its first takes a while: that what was
// made is being taken back, and that nothing is waited for any more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { change, conditionIn, create, deleted, keyOf } from "../../../tests/engine/rig.ts";
import { newRig, read, statusIn, widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import type { EngineEvent } from "../ports.ts";
import { done, failed, waiting } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { Context } from "../reconciler.ts";
import { wake } from "../wakes/wakes.ts";
import { reconcileStatusOf } from "./status.ts";

const a = keyOf("a");
const blocker = { kind: "gadgets", name: "b" };

function eventsOf(rig: Rig): { told: string[]; ports: Rig["ports"] } {
  const told: string[] = [];
  const recordEvent = async ({ type, reason }: EngineEvent): Promise<void> => {
    told.push(`${type} ${reason}`);
  };
  const resources = { ...rig.ports.resources, recordEvent };
  return { told, ports: { ...rig.ports, resources } };
}

test("a removal that takes a while is reported once, with an Event", async () => {
  const rig = newRig();
  const { told, ports } = eventsOf(rig);
  const removal = Promise.withResolvers<Outcome>();
  await using engine = startEngine(ports, { owner: "one" });
  const remove = async (): Promise<Outcome> => await removal.promise;
  engine.add({ kind: widgets, reconcile: async () => done(), remove });
  await create(rig.store, a);
  await rig.timers.advance(100);
  await change(rig.store, a, deleted);
  await rig.timers.advance(900);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
  assert.deepEqual(told, ["Normal Available"]);
  await rig.timers.advance(600);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/Deleting");
  assert.deepEqual(told, ["Normal Available", "Normal Deleting"]);
  const before = (await rig.store.head()).revision;
  await rig.timers.advance(60_000);
  assert.equal((await rig.store.head()).revision, before, "once is enough");
  removal.resolve(done());
  await rig.timers.advance(100);
  assert.equal(await read(rig.store, a), undefined);
  assert.deepEqual(told, ["Normal Available", "Normal Deleting", "Normal Released"]);
});

test("a removal that ends soon is not told", async () => {
  const rig = newRig();
  const { told, ports } = eventsOf(rig);
  await using engine = startEngine(ports, { owner: "one" });
  engine.add({ kind: widgets, reconcile: async () => done(), remove: async () => done() });
  await create(rig.store, a);
  await rig.timers.advance(100);
  await change(rig.store, a, deleted);
  await rig.timers.advance(5_000);
  assert.deepEqual(told, ["Normal Available", "Normal Released"]);
});

/** Waits first, and is woken; the second run does as `second` says. */
async function afterWait(
  rig: Rig,
  engine: Engine,
  second: (context: Context) => Promise<Outcome>,
): Promise<void> {
  let runs = 0;
  const reconcile = async (_resource: unknown, context: Context): Promise<Outcome> => {
    runs += 1;
    return runs === 1 ? waiting(blocker, { message: "no b" }) : await second(context);
  };
  engine.add({ kind: widgets, reconcile });
  await create(rig.store, a);
  await rig.timers.advance(100);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/Waiting");
  await rig.store.commit([wake(a, "uid-a")]);
}

async function waitedFor(rig: Rig): Promise<unknown> {
  return reconcileStatusOf(await statusIn(rig.store, a)).waitingFor;
}

test("a run that takes a while no longer has the reason Waiting", async () => {
  const rig = newRig();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  await using engine = startEngine(rig.ports, { owner: "one" });
  await afterWait(rig, engine, async () => await promise);
  await rig.timers.advance(900);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/Waiting");
  assert.deepEqual(await waitedFor(rig), [blocker]);
  await rig.timers.advance(600);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/InProgress");
  assert.equal(await waitedFor(rig), undefined);
  resolve(done());
  await rig.timers.advance(100);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
});

test("the write that shows progress also removes the reason Waiting", async () => {
  const rig = newRig();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  await using engine = startEngine(rig.ports, { owner: "one" });
  await afterWait(rig, engine, async ({ progress }) => {
    await progress({ done: 1, of: 4, message: "one" });
    return await promise;
  });
  const before = (await rig.store.head()).revision;
  await rig.timers.advance(10);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/InProgress");
  assert.equal(await waitedFor(rig), undefined);
  await rig.timers.advance(5_000);
  assert.equal((await rig.store.head()).revision, before + 1);
  resolve(failed("Broken", "it is", { retry: "never" }));
  await rig.timers.advance(100);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/Broken");
});

test("a run that waits again says so again", async () => {
  const rig = newRig();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  await using engine = startEngine(rig.ports, { owner: "one" });
  await afterWait(rig, engine, async () => await promise);
  await rig.timers.advance(2_000);
  resolve(waiting(blocker));
  await rig.timers.advance(100);
  assert.equal(await conditionIn(rig.store, a, "Ready"), "False/Waiting");
  assert.deepEqual(await waitedFor(rig), [blocker]);
});

test("a run that waits again without progress writes nothing", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  let runs = 0;
  const reconcile = async (_resource: unknown, { progress }: Context): Promise<Outcome> => {
    runs += 1;
    await progress({ done: 1, of: 4, message: "one" });
    return waiting(blocker);
  };
  engine.add({ kind: widgets, reconcile });
  await create(rig.store, a);
  await rig.timers.advance(100);
  const before = (await rig.store.head()).revision;
  await rig.store.commit([wake(a, "uid-a")]);
  await rig.timers.advance(100);
  assert.equal(runs, 2);
  assert.equal((await rig.store.head()).revision, before);
});
