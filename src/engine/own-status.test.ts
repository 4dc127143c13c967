// Reconcilers that own the status of their kind: the engine leases, retries and counts, and stores
// nothing in the document.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  annotated,
  change,
  create,
  deleted,
  keyOf,
  newRig,
  read,
  widgets,
} from "../../tests/engine/rig.ts";
import { startEngine } from "./engine.ts";
import { annotations } from "./names.ts";
import { again, done, failed } from "./outcome.ts";
import type { Reconciler } from "./reconciler.ts";
import { wakingCompanion } from "./wakes/waking-companion.ts";

const owning = (reconcile: Reconciler["reconcile"]): Reconciler => ({
  kind: widgets,
  ownsStatus: true,
  reconcile,
});

it("a reconciler that owns the status never changes the document itself", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const outcomes = [failed("Broken", "it does not work"), again(1_000), done()];
  let runs = 0;
  engine.add(
    owning(async () => {
      // Long enough for a status that says that a run is under way.
      await rig.timers.sleep(2_000);
      return outcomes[runs++] ?? done();
    }),
  );
  await create(rig.store, keyOf("a"));
  const before = await read(rig.store, keyOf("a"));
  await rig.timers.advance(60_000);
  assert.equal(runs, 3);
  assert.deepEqual(await read(rig.store, keyOf("a")), before);
});

it("a reconciler that owns the status is idle once its resource is settled", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  let runs = 0;
  engine.add(
    owning(async () => {
      runs += 1;
      return done();
    }),
  );
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(24 * 3_600_000);
  assert.equal(runs, 1);
  assert.equal(await rig.store.nextDue([widgets]), undefined);
});

it("failures of a reconciler that owns the status are further and further apart", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const startedMs: number[] = [];
  engine.add(
    owning(async () => {
      startedMs.push(rig.clock.nowMs());
      return startedMs.length < 6 ? failed("Broken", "it does not work") : done();
    }),
  );
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(600_000);
  const gaps = startedMs.slice(1).map((at, index) => at - (startedMs[index] ?? 0));
  assert.equal(gaps.length, 5);
  for (const [index, gap] of gaps.slice(1).entries()) assert.ok(gap > (gaps[index] ?? 0));
  // After a success the next failure is retried as quickly as the first one.
  const [first = 0] = gaps;
  startedMs.length = 0;
  await change(rig.store, keyOf("a"), (resource) => annotated(resource, "touched", "yes"));
  await rig.timers.advance(first * 1.5);
  assert.equal(startedMs.length, 2);
});

it("a reconciler that owns the status runs in deletion, paused or not", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const seen: boolean[] = [];
  engine.add(
    owning(async ({ metadata }) => {
      seen.push(metadata.deletionTimestamp !== undefined);
      return done();
    }),
  );
  await create(rig.store, keyOf("a"), { metadata: { finalizers: ["others.example.com"] } });
  await rig.timers.advance(10);
  await change(rig.store, keyOf("a"), (resource) =>
    deleted(annotated(resource, annotations.paused, "true")),
  );
  await rig.timers.advance(10);
  assert.deepEqual(seen, [false, true]);
});

it("existing resources of a reconciler that owns the status are adopted once", async () => {
  const rig = newRig();
  await create(rig.store, keyOf("a"));
  let runs = 0;
  const reconciler = {
    ...owning(async () => {
      runs += 1;
      return done();
    }),
    version: 3,
  };
  {
    await using engine = startEngine(rig.ports, { owner: "one", companions: [wakingCompanion] });
    engine.add(reconciler);
    await rig.timers.advance(300_000);
  }
  const adopted = runs;
  assert.ok(adopted > 0);
  await using engine = startEngine(rig.ports, { owner: "two", companions: [wakingCompanion] });
  engine.add(reconciler);
  await rig.timers.advance(300_000);
  assert.equal(runs, adopted);
});
