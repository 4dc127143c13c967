// The engine as a whole over the model of the store: what its users rely on, one claim each.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  annotated,
  change,
  conditionIn,
  create,
  deleted,
  edited,
  keyOf,
  newRig,
  read,
  statusIn,
  widgets,
} from "../../tests/engine/rig.ts";
import { startEngine } from "./engine.ts";
import { annotations, finalizer } from "./names.ts";
import { again, done, failed, waiting } from "./outcome.ts";
import type { Reconciler } from "./reconciler.ts";

const kindOf = (
  reconcile: Reconciler["reconcile"],
  more: Partial<Reconciler> = {},
): Reconciler => ({
  kind: widgets,
  reconcile,
  ...more,
});

describe("a run", () => {
  it("settles a new resource and says so", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    let runs = 0;
    engine.add(
      kindOf(async () => {
        runs += 1;
        return done({ status: { colour: "red" } });
      }),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(10);
    assert.equal(runs, 1);
    const status = await statusIn(rig.store, keyOf("a"));
    assert.equal(status["colour"], "red");
    assert.equal(status["observedGeneration"], 1);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "True/Available");
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Synced"), "True/ReconcileSuccess");
  });

  it("runs again for a change that came while it ran", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const seen: number[] = [];
    engine.add(
      kindOf(async (resource) => {
        seen.push(resource.metadata.generation);
        await rig.timers.sleep(1_000);
        return done();
      }),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(500);
    await change(rig.store, keyOf("a"), (resource) => edited(resource, { size: 2 }));
    await rig.timers.advance(5_000);
    assert.deepEqual(seen, [1, 2]);
    assert.equal((await statusIn(rig.store, keyOf("a")))["observedGeneration"], 2);
    assert.deepEqual((await read(rig.store, keyOf("a")))?.spec, { size: 2 });
  });

  it("holds a resource by the finalizer before it runs, and lets go once removed", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const calls: string[] = [];
    engine.add(
      kindOf(
        async () => {
          const stored = await read(rig.store, keyOf("a"));
          calls.push(`reconcile ${stored?.metadata.finalizers?.join(",")}`);
          return done();
        },
        {
          remove: async () => {
            calls.push("remove");
            return calls.length < 3 ? failed("Stuck", "no", { retry: "never" }) : done();
          },
        },
      ),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(10);
    await change(rig.store, keyOf("a"), deleted);
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "False/Deleting");
    await rig.timers.advance(120_000);
    assert.deepEqual(calls, [`reconcile ${finalizer}`, "remove", "remove"]);
    assert.equal(await read(rig.store, keyOf("a")), undefined);
  });

  it("writes nothing when a settled resource is looked at again", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    let runs = 0;
    engine.add(
      kindOf(
        async () => {
          runs += 1;
          return done({ status: { colour: "red" } });
        },
        { resyncMs: 60_000 },
      ),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(10);
    const { revision } = await rig.store.head();
    await rig.timers.advance(600_000);
    assert.ok(runs > 5, `${runs} runs`);
    assert.equal((await rig.store.head()).revision, revision);
  });

  it("waits, fails and goes on as its outcome says", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const outcomes = [
      waiting({ kind: "gadgets.test", name: "g" }, { message: "for g" }),
      failed("Broken", "it is", { afterMs: 7_000 }),
      again(3_000, { reason: "Building", message: "2 of 3" }),
      done(),
    ];
    const starts: number[] = [];
    const startMs = rig.clock.nowMs();
    engine.add(
      kindOf(async () => {
        starts.push(rig.clock.nowMs() - startMs);
        return outcomes.shift() ?? done();
      }),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "False/Waiting");
    await change(rig.store, keyOf("a"), (resource) =>
      annotated(resource, annotations.request, "x"),
    );
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Synced"), "False/Broken");
    const status = await statusIn(rig.store, keyOf("a"));
    assert.partialDeepStrictEqual(status["reconcile"], { handledRequest: "x", attempts: 1 });
    await rig.timers.advance(7_000);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "False/Building");
    await rig.timers.advance(3_000);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "True/Available");
    assert.deepEqual(starts, [0, 10, 7_010, 10_010]);
  });
});

describe("policies", () => {
  it("do nothing to a paused resource until it is set free", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    let runs = 0;
    engine.add(
      kindOf(async () => {
        runs += 1;
        return done();
      }),
    );
    const pause = { [annotations.paused]: "true" };
    await create(rig.store, keyOf("a"), { metadata: { annotations: pause } });
    await rig.timers.advance(10);
    assert.equal(runs, 0);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Synced"), "False/ReconcilePaused");
    await change(rig.store, keyOf("a"), (resource) =>
      annotated(resource, annotations.paused, "false"),
    );
    await rig.timers.advance(10);
    assert.equal(runs, 1);
    assert.equal(await conditionIn(rig.store, keyOf("a"), "Synced"), "True/ReconcileSuccess");
  });

  it("let go of a detached resource without taking anything back", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const calls: string[] = [];
    engine.add(
      kindOf(
        async () => {
          calls.push("reconcile");
          return done();
        },
        {
          remove: async () => {
            calls.push("remove");
            return done();
          },
        },
      ),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(10);
    await change(rig.store, keyOf("a"), (resource) =>
      annotated(resource, annotations.policy, "detach-on-delete"),
    );
    await rig.timers.advance(10);
    await change(rig.store, keyOf("a"), deleted);
    await rig.timers.advance(10);
    assert.deepEqual(calls, ["reconcile", "reconcile"]);
    assert.equal(await read(rig.store, keyOf("a")), undefined);
  });

  it("let go of its own finalizer only", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    engine.add(kindOf(async () => done(), { remove: async () => done() }));
    const metadata = { finalizers: ["example.com/other"] };
    await create(rig.store, keyOf("a"), { metadata });
    await rig.timers.advance(10);
    await change(rig.store, keyOf("a"), deleted);
    await rig.timers.advance(10);
    const left = await read(rig.store, keyOf("a"));
    assert.deepEqual(left?.metadata.finalizers, ["example.com/other"]);
    assert.equal(await rig.store.nextDue([widgets]), undefined, "nothing more is to be done");
  });
});

describe("a context", () => {
  it("may be taken apart by who uses it", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const reconcile: Reconciler["reconcile"] = async (_resource, context) => {
      const { outside, perform, progress, remember, rememberExternalId } = context;
      await rememberExternalId(await remember("id", () => "x-1"));
      await progress({ done: 0, of: 1, message: "building" });
      await perform({ name: "build", steps: [{ name: "all", run: async () => "built" }] });
      return done({ status: { built: await outside("site", async () => "yes") } });
    };
    engine.add(kindOf(reconcile));
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(10);
    assert.equal((await statusIn(rig.store, keyOf("a")))["built"], "yes");
  });

  it("shows progress, an external id and status while the run goes on", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const ids: (string | undefined)[] = [];
    engine.add(
      kindOf(async (_resource, context) => {
        ids.push(context.externalId);
        await Promise.all([
          context.rememberExternalId("x-1"),
          context.status.patch({ phase: "building", reconcile: { attempts: 99 } }),
          context.progress({ done: 1, of: 4, message: "one" }),
        ]);
        ids.push(context.externalId);
        await rig.timers.sleep(1_000);
        return done({ status: { phase: null } });
      }),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(500);
    const during = await statusIn(rig.store, keyOf("a"));
    assert.equal(during["phase"], "building");
    const reconcile = { externalId: "x-1", progress: { done: 1, of: 4, percent: 25 } };
    assert.partialDeepStrictEqual(during["reconcile"], reconcile);
    await change(rig.store, keyOf("a"), (resource) => edited(resource, { size: 2 }));
    await rig.timers.advance(5_000);
    assert.deepEqual(ids, [undefined, "x-1", "x-1", "x-1"]);
    const after = await statusIn(rig.store, keyOf("a"));
    assert.equal("phase" in after, false);
    assert.doesNotMatch(JSON.stringify(after["reconcile"]), /progress/);
  });

  it("counts tries and does not try again what failed for good", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const attempts: number[] = [];
    engine.add(
      kindOf(async (_resource, context) => {
        attempts.push(context.attempt);
        const retry = attempts.length < 3 ? "soon" : "never";
        return failed("Broken", "it is", { retry });
      }),
    );
    await create(rig.store, keyOf("a"));
    await rig.timers.advance(100_000_000);
    assert.deepEqual(attempts, [1, 2, 3]);
    const wake = { kind: "wake", afterMs: 0 } as const;
    const when = { kind: "exists" } as const;
    await rig.store.commit([{ kind: "schedule", key: keyOf("a"), when, due: wake }]);
    await rig.timers.advance(1_000);
    assert.equal(attempts.length, 3, "a wake-up by others changes nothing");
    await change(rig.store, keyOf("a"), (resource) => edited(resource, { size: 2 }));
    await rig.timers.advance(1_000);
    assert.deepEqual(attempts, [1, 2, 3, 1], "a new spec does");
  });
});
