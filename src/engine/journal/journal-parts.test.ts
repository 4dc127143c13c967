// Journal, wake-ups and adoption as an engine uses them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  change,
  create,
  deleted,
  edited,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { processOn } from "../../../tests/engine/sample-run.ts";
import type { Store } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { journalKey } from "./journal.ts";
import { journalParts } from "./journal-parts.ts";
import { again, done, failed, ReconcileFailure, waiting } from "../outcome.ts";
import type { Reconciler } from "../reconciler.ts";
import { wakingCompanion } from "../wakes/waking-companion.ts";

const a = keyOf("a");
const gadget = keyOf("g", "team", "gadgets.test");

/** From when on nothing is woken any more for having been there before its reconciler. */
const adoptionMs = 60_000;

interface Told {
  readonly events: string[];
}

function engineOn(rig: Rig, told: Told = { events: [] }, store: Store = rig.store): Engine {
  return startEngine(rig.portsOver(store), {
    owner: `one-${rig.clock.nowMs()}`,
    parts: (ports) =>
      journalParts(ports, (_scope, type, reason, message) =>
        told.events.push(`${type} ${reason} ${message}`),
      ),
    companions: [wakingCompanion],
  });
}

function kind(reconcile: Reconciler["reconcile"], more: Partial<Reconciler> = {}): Reconciler {
  return { kind: widgets, reconcile, ...more };
}

test("steps are performed, shown and not repeated by the next run", async () => {
  const rig = newRig();
  const told: Told = { events: [] };
  await using engine = engineOn(rig, told);
  const trace: string[] = [];
  const shown: unknown[] = [];
  const step = (name: string) => ({
    name,
    run: async () => {
      trace.push(name);
      shown.push((await statusIn(rig.store, a))["reconcile"]);
      return name;
    },
  });
  let runs = 0;
  engine.add(
    kind(async (_resource, context) => {
      runs += 1;
      const results = await context.perform({ name: "build", steps: [step("x"), step("y")] });
      const password = await context.remember("password", () => `word ${runs}`);
      return runs === 1 ? again(1_000) : done({ status: { results, password } });
    }),
  );
  await rig.timers.advance(adoptionMs);
  await create(rig.store, a);
  await rig.timers.advance(5_000);
  assert.deepEqual([runs, trace], [2, ["x", "y"]]);
  const { results, password } = await statusIn(rig.store, a);
  assert.deepEqual([results, password], [{ x: "x", y: "y" }, "word 1"]);
  assert.match(
    JSON.stringify(shown[1]),
    /"progress":\{"generation":1,"done":1,"of":2,"percent":50,"message":"y"\}/,
  );
  assert.deepEqual(told.events, [
    "Normal StepDone build: x (1 of 2)",
    "Normal StepDone build: y (2 of 2)",
  ]);
});

test("a process that dies in the middle of an operation is made up for by another", async () => {
  const rig = newRig();
  await create(rig.store, a);
  const trace: string[] = [];
  const reconciler = (kill?: () => void): Reconciler =>
    kind(async (_resource, context) => {
      const step = (name: string) => ({
        name,
        run: async () => {
          trace.push(name);
          if (name === "y") kill?.();
          return name;
        },
      });
      await context.perform({ name: "build", steps: [step("x"), step("y"), step("z")] });
      return done();
    });
  const process = processOn(rig.store);
  engineOn(rig, undefined, process.store).add(reconciler(() => process.kill()));
  await rig.timers.advance(1_000);
  assert.deepEqual(trace, ["x", "y"]);
  await using second = engineOn(rig);
  second.add(reconciler());
  await rig.timers.advance(60_000);
  assert.deepEqual(trace, ["x", "y", "y", "z"]);
});

test("a failure for good is taken back, reported, and tried again for a new spec", async () => {
  const rig = newRig();
  await using engine = engineOn(rig);
  const trace: string[] = [];
  engine.add(
    kind(async ({ spec }, context) => {
      const isGood = JSON.stringify(spec) !== "{}";
      await context.perform({
        name: "build",
        steps: [
          {
            name: "x",
            run: async () => void trace.push("x"),
            undo: async () => void trace.push("undo x"),
          },
          {
            name: "y",
            run: async () => {
              trace.push("y");
              if (!isGood) throw new ReconcileFailure(failed("Bad", "spec", { retry: "never" }));
            },
          },
        ],
      });
      return done();
    }),
  );
  await create(rig.store, a);
  await rig.timers.advance(3_600_000);
  assert.deepEqual(trace, ["x", "y", "undo x"]);
  await change(rig.store, a, (resource) => edited(resource, { size: 1 }));
  await rig.timers.advance(1_000);
  assert.deepEqual(trace, ["x", "y", "undo x", "x", "y"]);
});

test("who refers to another is run when it changes, and who waits when it appears", async () => {
  const rig = newRig();
  await using engine = engineOn(rig);
  const seen: unknown[] = [];
  engine.add(
    kind(async (_resource, context) => {
      const found = await context.references.get({ kind: gadget.kind, name: gadget.name });
      seen.push(found?.spec);
      return found === undefined ? waiting({ kind: gadget.kind, name: gadget.name }) : done();
    }),
  );
  await rig.timers.advance(adoptionMs);
  await create(rig.store, a);
  await rig.timers.advance(100);
  assert.deepEqual(seen, [undefined]);
  await create(rig.store, gadget, { spec: { size: 1 } });
  await rig.timers.advance(10);
  await change(rig.store, gadget, (resource) => edited(resource, { size: 2 }));
  await rig.timers.advance(10);
  assert.deepEqual(seen, [undefined, { size: 1 }, { size: 2 }]);
  await rig.timers.advance(120_000);
  assert.equal(seen.length, 3);
});

test("a change between the look and the end of the run is seen by another run", async () => {
  const rig = newRig();
  await using engine = engineOn(rig);
  await create(rig.store, gadget, { spec: { size: 1 } });
  await rig.timers.advance(100);
  const seen: unknown[] = [];
  engine.add(
    kind(async (_resource, context) => {
      const found = await context.references.get({ kind: gadget.kind, name: gadget.name });
      seen.push(found?.spec);
      if (seen.length === 1) {
        await change(rig.store, gadget, (resource) => edited(resource, { size: 2 }));
      }
      return done();
    }),
  );
  await create(rig.store, a);
  await rig.timers.advance(100);
  assert.deepEqual(seen.slice(0, 2), [{ size: 1 }, { size: 2 }]);
});

test("a resource takes its journal along, in the commit that deletes it", async () => {
  const rig = newRig();
  await using engine = engineOn(rig);
  engine.add(
    kind(
      async (_resource, context) => {
        await context.remember("word", () => "secret");
        return done();
      },
      { remove: async () => done() },
    ),
  );
  await create(rig.store, a);
  await rig.timers.advance(100);
  const journal = journalKey(a, "uid-a");
  assert.notEqual(await rig.store.get(journal), undefined);
  await change(rig.store, a, deleted);
  await rig.timers.advance(100);
  const [gone] = await rig.store.history(a);
  const [after] = await rig.store.history(journal);
  assert.deepEqual([gone?.type, after?.type], ["deleted", "deleted"]);
  assert.equal(after?.revision, (gone?.revision ?? 0) + 1);
});

test("what was there before its reconciler is adopted, once per version", async () => {
  const rig = newRig();
  await create(rig.store, a);
  const seen: number[] = [];
  const run = async (version: number, ms: number): Promise<void> => {
    await using engine = engineOn(rig);
    engine.add(
      kind(
        async () => {
          seen.push(version);
          return done();
        },
        { version },
      ),
    );
    await rig.timers.advance(ms);
  };
  await run(1, 200_000);
  const first = seen.length;
  assert(first >= 1);
  await run(1, 200_000);
  assert.equal(seen.length, first);
  await run(2, 200_000);
  assert.equal(seen.at(-1), 2);
});

test("what failed for good for want of another is run again when that appears", async () => {
  const rig = newRig();
  await using engine = engineOn(rig);
  let runs = 0;
  engine.add(
    kind(async (_resource, { references }) => {
      runs += 1;
      const found = await references.get({ kind: gadget.kind, name: gadget.name });
      return found === undefined ? failed("Missing", "no gadget", { retry: "never" }) : done();
    }),
  );
  await rig.timers.advance(adoptionMs);
  await create(rig.store, a);
  await rig.timers.advance(600_000);
  assert.equal(runs, 1);
  await create(rig.store, gadget);
  await rig.timers.advance(100);
  assert.equal(runs, 2);
  const { reconcile } = await statusIn(rig.store, a);
  assert.doesNotMatch(JSON.stringify(reconcile), /never|"looked"/);
});
