// What people who know other control loops rely on without asking, one claim each.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  change,
  conditionIn,
  create,
  deleted,
  edited,
  fill,
  keyOf,
  newRig,
  read,
  widgets,
} from "../../tests/engine/rig.ts";
import { startEngine } from "./engine.ts";
import { again, done, failed } from "./outcome.ts";
import { systemCause } from "../kernel/cause.ts";

it("a failure stays in view while the next retry runs", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const seen: (string | undefined)[] = [];
  engine.add({
    kind: widgets,
    reconcile: async () => {
      seen.push(await conditionIn(rig.store, keyOf("a"), "Synced"));
      return seen.length < 3 ? failed("Broken", "it does not work") : done();
    },
  });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10_000);
  assert.deepEqual(seen.slice(1), ["False/Broken", "False/Broken"]);
  assert.equal(await conditionIn(rig.store, keyOf("a"), "Synced"), "True/ReconcileSuccess");
});

it("a removal that is not over yet keeps the resource, and looks again when it said", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const looks: number[] = [];
  const remove = async () => (looks.push(rig.clock.nowMs()) < 3 ? again(5_000) : done());
  engine.add({ kind: widgets, reconcile: async () => done(), remove });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  await change(rig.store, keyOf("a"), deleted);
  await rig.timers.advance(9_000);
  assert.equal(looks.length, 2);
  assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "False/Deleting");
  await rig.timers.advance(2_000);
  assert.equal(looks.length, 3);
  assert.equal(await read(rig.store, keyOf("a")), undefined);
});

it("a resource that goes while it is worked on ends the work quietly", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  engine.add({
    kind: widgets,
    reconcile: async () => {
      await rig.timers.sleep(1_000);
      return done({ status: { colour: "red" } });
    },
  });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  await rig.store.commit([
    { kind: "delete", cause: systemCause, key: keyOf("a"), when: { kind: "exists" } },
  ]);
  await rig.timers.advance(5_000);
  assert.equal(await read(rig.store, keyOf("a")), undefined);
  assert.deepEqual(
    rig.said.filter(({ level }) => level === "warn" || level === "error"),
    [],
  );
});

it("a resource that failed for good is tried again as soon as its spec is corrected", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata: { generation } }) =>
      generation === 1 ? failed("Wrong", "no such colour", { retry: "never" }) : done(),
  });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(3_600_000);
  assert.equal(await conditionIn(rig.store, keyOf("a"), "Synced"), "False/Wrong");
  await change(rig.store, keyOf("a"), (resource) => edited(resource, { colour: "red" }));
  await rig.timers.advance(10);
  assert.equal(await conditionIn(rig.store, keyOf("a"), "Ready"), "True/Available");
});

it("10,000 failing resources of one tenant do not delay another's fresh one", async () => {
  const rig = newRig();
  const crowd = Array.from({ length: 10_000 }, (_, at) => keyOf(`n${at}`, "crowd"));
  await fill(rig.store, crowd);
  await using engine = startEngine(rig.ports, { owner: "one" });
  let [fails, startedMs] = [0, 0];
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata }) => {
      if (metadata.namespace === "fresh") {
        startedMs = rig.clock.nowMs();
        return done();
      }
      await rig.timers.sleep(200);
      fails += 1;
      return failed("Broken", "it does not work");
    },
  });
  await rig.timers.advance(1_200);
  const createdMs = rig.clock.nowMs();
  await create(rig.store, keyOf("a", "fresh"));
  await rig.timers.advance(300);
  assert.ok(fails > 100, `${fails} have failed`);
  assert.ok(startedMs >= createdMs && startedMs - createdMs <= 10, `${startedMs - createdMs} ms`);
  await Promise.all([engine.stop(), rig.timers.advance(1_000)]);
});
