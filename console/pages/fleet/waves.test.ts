import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rollout, RolloutStatus } from "../../api/fleet.ts";
import { rolloutAnswer } from "./headline.ts";
import { wavesOf } from "./waves.ts";

function rollout(status: RolloutStatus, action?: string): Rollout {
  const waves = [{ count: 2, soakSeconds: 60 }, { percent: 5 }, { percent: 100 }];
  const spec = { offering: "dinosaurs", versions: { product: "1.2.0" }, waves };
  return {
    metadata: { name: "product-1-2" },
    spec: { ...spec, ...(action === undefined ? {} : { action }) },
    status,
  };
}

const tones = (each: Rollout): readonly string[] => wavesOf(each).map(({ look }) => look.tone);

test("a wave has never fewer instances than the wave before it", () => {
  const targets = wavesOf(rollout({ phase: "progressing", wave: 1, total: 27 }));
  assert.deepEqual(
    targets.map(({ target }) => target),
    [2, 2, 27],
  );
});

test("waves are done, current or not started", () => {
  const status = { phase: "progressing", wave: 2, total: 27, updated: 2 };
  assert.deepEqual(tones(rollout(status)), ["ready", "progressing", "unknown"]);
  assert.deepEqual(tones(rollout({ ...status, waveDoneAt: "2026-11-14T16:49:10Z" })), [
    "ready",
    "waiting",
    "unknown",
  ]);
  assert.deepEqual(tones(rollout({ ...status, phase: "completed" })), ["ready", "ready", "ready"]);
  assert.deepEqual(tones(rollout(status, "pause")), ["ready", "paused", "unknown"]);
});

test("a failed gate is the answer of the page, with the message of its last failure", () => {
  const history = [
    { at: "2026-11-14T16:49:10Z", event: "GateFailed", message: "1 of at most 0 failed" },
    { at: "2026-11-14T16:50:10Z", event: "Resumed", message: "the spec has changed" },
    { at: "2026-11-14T16:51:10Z", event: "GateFailed", message: "2 of at most 1 failed" },
  ];
  const answer = rolloutAnswer(rollout({ phase: "paused", wave: 2, history }));
  assert.deepEqual(answer, {
    tone: "failed",
    title: "The gate of wave 2 failed",
    text: "2 of at most 1 failed",
  });
  assert.equal(rolloutAnswer(rollout({ phase: "completed" })), undefined);
});
