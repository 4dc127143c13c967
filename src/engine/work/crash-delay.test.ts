// What took its workers down is not run before its time, however often it is woken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotated, change, create, edited, keyOf, newRig } from "../../../tests/engine/rig.ts";
import { widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Resource } from "../../kernel/resource.ts";
import { startEngine } from "../engine.ts";
import { annotations } from "../names.ts";
import { done } from "../outcome.ts";

const minuteMs = 60_000;

/** A resource that was put aside for a minute, and an engine that counts its runs. */
async function asideRig(): Promise<AsyncDisposable & { rig: Rig; runs: () => number }> {
  const rig = newRig();
  await create(rig.store, keyOf("a"));
  const nextAttempt = timeText(rig.clock.nowMs() + minuteMs);
  const synced = { type: "Synced", status: "False", reason: "WorkerLost", message: "" };
  const lastTransitionTime = timeText(rig.clock.nowMs());
  const status = {
    observedGeneration: 1,
    conditions: [{ ...synced, lastTransitionTime }],
    reconcile: { attempts: 1, nextAttempt, retry: "slow" },
  };
  await change(rig.store, keyOf("a"), (resource): Resource => ({ ...resource, status }));
  let count = 0;
  const engine = startEngine(rig.ports, { owner: "one" });
  engine.add({
    kind: widgets,
    reconcile: async () => {
      count += 1;
      return await Promise.resolve(done());
    },
  });
  return { rig, runs: () => count, [Symbol.asyncDispose]: () => engine.stop() };
}

test("a resource that was put aside is not run by a wake, but in its time", async () => {
  await using given = await asideRig();
  const { rig, runs } = given;
  await rig.timers.advance(minuteMs / 2);
  assert.equal(runs(), 0);
  await change(rig.store, keyOf("a"), (old) => annotated(old, "example.com/note", "hello"));
  await rig.timers.advance(minuteMs / 4);
  assert.equal(runs(), 0);
  await rig.timers.advance(minuteMs / 4 + 2_000);
  assert.equal(runs(), 1);
});

test("a change of its spec gives it another chance at once", async () => {
  await using given = await asideRig();
  const { rig, runs } = given;
  await change(rig.store, keyOf("a"), (old) => edited(old, { size: 2 }));
  await rig.timers.advance(1_000);
  assert.ok(runs() > 0);
});

test("so does somebody who asks", async () => {
  await using given = await asideRig();
  const { rig, runs } = given;
  await change(rig.store, keyOf("a"), (old) => annotated(old, annotations.request, "now"));
  await rig.timers.advance(1_000);
  assert.ok(runs() > 0);
});
