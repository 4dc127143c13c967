// What fails is not run before a part of its delay has passed, unless something new is wanted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotated, change, create, edited, keyOf, newRig } from "../../../tests/engine/rig.ts";
import { widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Resource } from "../../kernel/resource.ts";
import { startEngine } from "../engine.ts";
import { annotations } from "../names.ts";
import { again, failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import { tooEarlyMs } from "./failure-delay.ts";

const a = keyOf("a");

async function ranOnce(outcome: () => Outcome): Promise<{ rig: Rig; runs: () => number }> {
  const rig = newRig();
  await create(rig.store, a);
  const engine = startEngine(rig.ports, { owner: "one" });
  let count = 0;
  engine.add({
    kind: widgets,
    reconcile: async () => {
      count += 1;
      return await Promise.resolve(outcome());
    },
  });
  await rig.timers.advance(50);
  assert.equal(count, 1);
  return { rig, runs: () => count };
}

async function wake({ store, timers }: Rig): Promise<void> {
  const due = { kind: "wake", afterMs: 0 } as const;
  await store.commit([{ kind: "schedule", key: a, when: { kind: "exists" }, due }]);
  await timers.advance(10);
}

test("whoever wakes what fails all the time, it is tried ever less often", async () => {
  const { rig, runs } = await ranOnce(() => failed("Broken", "it is"));
  for (let count = 0; count < 1_000; count += 1) await wake(rig);
  assert(runs() >= 5 && runs() <= 8, `${runs()} in ten seconds`);
});

test("a wake does shorten a long delay, to a quarter", async () => {
  const { rig, runs } = await ranOnce(() => failed("Broken", "it is", { retry: "slow" }));
  await wake(rig);
  assert.equal(runs(), 1);
  await rig.timers.advance(20_000);
  assert.equal(runs(), 2);
});

test("a change of the spec, and a request, are looked at without a delay", async () => {
  const { rig, runs } = await ranOnce(() => failed("Broken", "it is"));
  await change(rig.store, a, (old) => edited(old, { size: 2 }));
  await rig.timers.advance(10);
  assert.equal(runs(), 2);
  await change(rig.store, a, (old) => annotated(old, annotations.request, "now"));
  await rig.timers.advance(10);
  assert.equal(runs(), 3);
});

test("no outcome is a way to be run without a pause", async () => {
  const soon = await ranOnce(() => failed("Busy", "come back", { afterMs: 0 }));
  await soon.rig.timers.advance(10_000);
  assert(soon.runs() <= 11, `${soon.runs()} in ten seconds`);
  const next = await ranOnce(() => again(0));
  await next.rig.timers.advance(10_000);
  assert(next.runs() <= 102, `${next.runs()} in ten seconds`);
});

test("what somebody wrote into a status holds nothing up for long", () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const failing = (startedMs: number, nextMs: number): Resource => ({
    apiVersion: "test/v1",
    kind: "Widget",
    metadata: { name: "a", uid: "u", generation: 1, creationTimestamp: "" },
    status: {
      observedGeneration: 1,
      conditions: [{ type: "Synced", status: "False", reason: "X", lastTransitionTime: "" }],
      reconcile: {
        nextAttempt: timeText(nextMs),
        lastRun: { startedAt: timeText(startedMs), tookMs: 0 },
      },
    },
  });
  assert.equal(tooEarlyMs(failing(nowMs, nowMs + 40_000), nowMs), 10_000);
  assert.equal(tooEarlyMs(failing(nowMs, nowMs + 1e12), nowMs), 30_000);
  assert.equal(tooEarlyMs(failing(nowMs + 1e11, nowMs + 1e12), nowMs), 0);
  assert.equal(tooEarlyMs(failing(nowMs, nowMs - 1_000), nowMs), 0);
});
