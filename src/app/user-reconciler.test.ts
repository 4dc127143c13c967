// What an author may hand over as a reconciler.
import assert from "node:assert/strict";
import { it } from "node:test";
import { conditionIn, create, keyOf, newRig, statusIn, widgets } from "../../tests/engine/rig.ts";
import { startEngine } from "../engine/engine.ts";
import { reconcilerOf } from "./user-reconciler.ts";
import type { UserReconciler as ModuleReconciler } from "../contract/user-module.ts";
import { done } from "../engine/outcome.ts";
import type { Done } from "../engine/outcome.ts";

it("a reconciler may be of a class, with methods, getters and private fields", async () => {
  class Base {
    get timeoutMs(): number {
      return 5_000;
    }

    async remove(): Promise<Done> {
      return done();
    }
  }
  class Painter extends Base implements ModuleReconciler {
    readonly version = 3;
    readonly #colour = "red";

    get resyncMs(): number {
      return 60_000;
    }

    async reconcile(): Promise<Done> {
      return this.#painted();
    }

    async observe(): Promise<Done> {
      return this.#painted();
    }

    #painted(): Done {
      return done({ status: { colour: this.#colour } });
    }
  }
  const reconciler = reconcilerOf({ kind: widgets, reconciler: new Painter() });
  assert.deepEqual(Object.keys(reconciler).sort(), [
    "kind",
    "observe",
    "reconcile",
    "remove",
    "resyncMs",
    "timeoutMs",
    "version",
  ]);
  assert.equal(reconciler.resyncMs, 60_000);
  assert.equal(reconciler.timeoutMs, 5_000);
  assert.equal(reconciler.version, 3);

  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  engine.add(reconciler);
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "True/Available");
  assert.equal((await statusIn(rig.store, keyOf("a")))["colour"], "red");
});

it("what a plain object says of itself is kept, and nothing is made up", () => {
  const retry = { soonFirstMs: 20 };
  const reconciler = reconcilerOf({
    kind: widgets,
    reconciler: { reconcile: async () => done(), concurrency: 4, retry },
  });
  assert.deepEqual(Object.keys(reconciler).sort(), ["concurrency", "kind", "reconcile", "retry"]);
  assert.deepEqual(reconciler.retry, retry);
});
