import assert from "node:assert/strict";
import { test } from "node:test";
import {
  claim,
  dueIn,
  keyTo,
  newWorld,
  processOn,
  silent,
  widgets,
  write,
} from "../../../tests/engine/sample-run.ts";
import type { Store } from "../../store/port.ts";
import type { World } from "../../../tests/engine/sample-run.ts";
import { adopt, adoptedKinds } from "./adoption.ts";

const a = keyTo("a");

function start(world: World, version: number, store: Store = world.store) {
  const controller = new AbortController();
  const ports = { store, timers: world.timers, log: silent };
  const ended = adopt(ports, { kind: widgets, version }, controller.signal);
  return { ended, controller };
}

async function finish(world: World, version: number): Promise<void> {
  const { ended } = start(world, version);
  await world.timers.advance(35_000);
  await ended;
}

test("every resource of the kind becomes due, spread so that no herd forms", async () => {
  const world = newWorld();
  const names = Array.from({ length: 1_200 }, (_, index) => `n${index}`);
  for (const name of names) await write(world.store, keyTo(name));
  const { ended, controller } = start(world, 1);
  await world.timers.advance(0);
  const dues = new Set(names.map((name) => dueIn(world, keyTo(name))));
  assert.equal(dues.size, 1_200);
  assert(!dues.has(undefined));
  controller.abort(new Error("enough"));
  await assert.rejects(ended, /enough/);
});

test("it happens once for each version", async () => {
  const world = newWorld();
  await write(world.store, a);
  await finish(world, 1);
  await claim(world.store, a);
  const before = await world.store.head();
  await finish(world, 1);
  await finish(world, 0);
  assert.deepEqual(await world.store.head(), before);
  await finish(world, 2);
  assert(dueIn(world, a) !== undefined);
});

test("what was written meanwhile without being made due is woken as well", async () => {
  const world = newWorld();
  const { ended } = start(world, 1);
  await world.timers.advance(29_000);
  await write(world.store, a);
  assert.equal(dueIn(world, a), undefined);
  await world.timers.advance(2_000);
  await ended;
  assert(dueIn(world, a) !== undefined);
});

test("when the log was forgotten meanwhile, everything is woken again", async () => {
  const world = newWorld();
  const { ended } = start(world, 1);
  await world.timers.advance(29_000);
  await write(world.store, a);
  await world.store.compact((await world.store.head()).revision);
  await world.timers.advance(2_000);
  await ended;
  assert(dueIn(world, a) !== undefined);
});

test("the kind is known as reconciled before anything is woken", async () => {
  const world = newWorld();
  await write(world.store, a);
  const process = processOn(world.store, { call: 3, isDone: false });
  start(world, 1, process.store);
  await process.killed;
  assert.deepEqual(await adoptedKinds(world.store), [widgets]);
  assert.equal(dueIn(world, a), undefined);
});

test("a process that dies at any call is made up for by the next", async () => {
  for (let call = 1; call <= 10; call += 1) {
    for (const isDone of [false, true]) {
      const world = newWorld();
      await write(world.store, a);
      const process = processOn(world.store, { call, isDone });
      start(world, 1, process.store);
      await world.timers.advance(60_000);
      await finish(world, 1);
      assert(dueIn(world, a) !== undefined, `call ${call}`);
    }
  }
});

test("two processes may do it at the same time, and failures are tried again", async () => {
  const world = newWorld();
  await write(world.store, a);
  let calls = 0;
  const failing = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        calls += 1;
        if (calls % 4 === 0) throw new Error("the store is down");
        return (await Reflect.apply(member, target, args)) as unknown;
      };
    },
  });
  const both = [start(world, 1), start(world, 1, failing)];
  await world.timers.advance(300_000);
  await Promise.all(both.map(({ ended }) => ended));
  assert(dueIn(world, a) !== undefined);
});

test("it ends when it is told to", async () => {
  const world = newWorld();
  const { ended, controller } = start(world, 1);
  await world.timers.advance(10);
  controller.abort(new Error("enough"));
  await assert.rejects(ended, /enough/);
  assert.equal(world.timers.pendingCount(), 0);
});
