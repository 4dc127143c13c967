// A rolling upgrade: processes with an older reconciler run beside those with the new one.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  annotated,
  change,
  create,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import type { Store } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { annotations } from "../names.ts";
import { done, failed } from "../outcome.ts";
import { reconcileStatusOf } from "../run/status.ts";
import { wakingCompanion } from "./waking-companion.ts";

const minuteMs = 60_000;
const names = ["settled", "hopeless", "paused"];

/** Knows no way with what is hopeless before its second version. */
function start(rig: Rig, version: number, store: Store, looks: string[]): Engine {
  const owner = `version ${version}`;
  const engine = startEngine(rig.portsOver(store), { owner, companions: [wakingCompanion] });
  engine.add({
    kind: widgets,
    version,
    resyncMs: 0,
    reconcile: async ({ metadata: { name } }) => {
      looks.push(`${version} ${name}`);
      const isHopeless = name === "hopeless" && version < 2;
      return isHopeless ? failed("Hopeless", "no way", { retry: "never" }) : done();
    },
  });
  return engine;
}

/** A store whose claims are refused to this process for as long as others are to be faster. */
function slowToClaim(store: Store): { readonly view: Store; readonly hurry: () => void } {
  let isSlow = true;
  const view = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === "claim" && isSlow) {
        return async (request: Parameters<Store["claim"]>[0]) =>
          request.kinds.includes(widgets) ? [] : await target.claim(request);
      }
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return {
    view,
    hurry: () => {
      isSlow = false;
    },
  };
}

async function settledBy(rig: Rig, looks: string[]): Promise<Engine> {
  for (const name of names) await create(rig.store, keyOf(name));
  const old = start(rig, 1, rig.store, looks);
  await rig.timers.advance(5 * minuteMs);
  await change(rig.store, keyOf("paused"), (each) => annotated(each, annotations.paused, "true"));
  await rig.timers.advance(5 * minuteMs);
  looks.length = 0;
  return old;
}

test("what older processes took from the new version is looked at once they are gone", async () => {
  const rig = newRig();
  const looks: string[] = [];
  const old = await settledBy(rig, looks);
  const { view, hurry } = slowToClaim(rig.store);
  const fresh = start(rig, 2, view, looks);
  await rig.timers.advance(10 * minuteMs);
  assert.deepEqual([...new Set(looks)], ["1 settled"]);
  await old.stop();
  hurry();
  await rig.timers.advance(11 * minuteMs);
  assert.ok(looks.includes("2 settled"));
  assert.ok(looks.includes("2 hopeless"));
  const { reconcilerVersion } = reconcileStatusOf(await statusIn(rig.store, keyOf("hopeless")));
  assert.equal(reconcilerVersion, 2);

  looks.length = 0;
  const { revision } = await rig.store.head();
  await rig.timers.advance(120 * minuteMs);
  assert.deepEqual(looks, [], "what was seen is not woken again, nor is what is paused");
  assert.equal((await rig.store.head()).revision, revision);
  await fresh.stop();
});

test("a process that takes over goes on waking, without beginning anew", async () => {
  const rig = newRig();
  const looks: string[] = [];
  const old = await settledBy(rig, looks);
  const first = start(rig, 2, slowToClaim(rig.store).view, looks);
  await rig.timers.advance(10 * minuteMs);
  await first.stop();
  await old.stop();
  looks.length = 0;
  const second = start(rig, 2, rig.store, looks);
  await rig.timers.advance(10 * minuteMs);
  assert.deepEqual(looks.sort(), ["2 hopeless", "2 settled"]);
  looks.length = 0;
  await second.stop();
  const third = start(rig, 2, rig.store, looks);
  await rig.timers.advance(30 * minuteMs);
  assert.deepEqual(looks, [], "the record says that all was seen");
  await third.stop();
});

test("older code leaves alone what newer code has given up", async () => {
  const rig = newRig();
  const looks: string[] = [];
  await create(rig.store, keyOf("hopeless"));
  const fresh = start(rig, 1, rig.store, looks);
  await rig.timers.advance(5 * minuteMs);
  await fresh.stop();
  const old = start(rig, 0, rig.store, looks);
  await change(rig.store, keyOf("hopeless"), (each) => annotated(each, "note", "1"));
  await rig.timers.advance(5 * minuteMs);
  assert.deepEqual([...new Set(looks)], ["1 hopeless"]);
  await old.stop();
});
