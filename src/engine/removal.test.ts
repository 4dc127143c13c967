// A kind that is taken from a running engine: what was under way for it ends without harm, and
// others can go on with it at once.
import assert from "node:assert/strict";
import { it } from "node:test";
import { create, keyOf, newRig, widgets } from "../../tests/engine/rig.ts";
import { decodeDocument } from "../kernel/document.ts";
import type { Resource } from "../kernel/resource.ts";
import type { Store, StoredRecord } from "../store/port.ts";
import { startEngine } from "./engine.ts";
import { adoptionKind } from "./names.ts";
import { done } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { wakingCompanion } from "./wakes/waking-companion.ts";

it("what was being claimed when its kind was taken away is handed back unrun", async () => {
  const rig = newRig();
  const gate = Promise.withResolvers<void>();
  let claims = 0;
  const view: Store = new Proxy(rig.store, {
    get: (target, name) => {
      if (name === "claim") {
        return async (...given: Parameters<Store["claim"]>) => {
          const claimed = await target.claim(...given);
          claims += claimed.length;
          await gate.promise;
          return claimed;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  await using engine = startEngine(rig.portsOver(view), { owner: "one" });
  let runs = 0;
  const reconcile = async (): Promise<Outcome> => {
    runs += 1;
    return done();
  };
  await create(rig.store, keyOf("a"));
  const remove = engine.add({ kind: widgets, reconcile });
  await rig.timers.advance(10);
  assert.equal(claims, 1, "it is claimed, and the answer is on its way");
  remove();
  gate.resolve();
  await rig.timers.advance(10);
  assert.equal(runs, 0);
  await using other = startEngine(rig.ports, { owner: "two" });
  other.add({ kind: widgets, reconcile });
  await rig.timers.advance(10);
  assert.equal(runs, 1, "another has it without waiting for a lease to end");
});

it("what was being read when its kind was taken away is handed back unrun", async () => {
  const rig = newRig();
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  const readLater = async ({ body, revision }: StoredRecord): Promise<Resource> => {
    reads += 1;
    await gate.promise;
    return decodeDocument(body, revision);
  };
  const resources = { ...rig.ports.resources, read: readLater };
  await using engine = startEngine({ ...rig.ports, resources }, { owner: "one" });
  let runs = 0;
  const reconcile = async (): Promise<Outcome> => {
    runs += 1;
    return done();
  };
  await create(rig.store, keyOf("a"));
  const remove = engine.add({ kind: widgets, reconcile });
  await rig.timers.advance(10);
  assert.equal(reads, 1, "it is claimed, and being read");
  remove();
  gate.resolve();
  await rig.timers.advance(10);
  assert.equal(runs, 0);
  engine.add({ kind: widgets, reconcile });
  await rig.timers.advance(10);
  assert.equal(runs, 1, "who comes after has it without waiting for a lease to end");
});

it("the adoption of a kind ends with it, and begins anew when the kind is back", async () => {
  const rig = newRig();
  const companions = [wakingCompanion];
  await using engine = startEngine(rig.ports, { owner: "one", companions });
  const adopted = async (): Promise<unknown> => {
    const record = await rig.store.get(keyOf(widgets, "", adoptionKind));
    const { version } = JSON.parse(String(record?.body)) as { readonly version: number };
    return version;
  };
  const reconciler = { kind: widgets, version: 3, reconcile: async () => done() };
  const remove = engine.add(reconciler);
  await rig.timers.advance(1_000);
  assert.equal(await adopted(), -1, "under way");
  remove();
  await rig.timers.advance(120_000);
  assert.equal(await adopted(), -1);
  engine.add(reconciler);
  await rig.timers.advance(60_000);
  assert.equal(await adopted(), 3);
});
