import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { decideRollout, isRollingBack } from "./decide.ts";
import type { RolloutStep } from "./decide.ts";
import type { Member } from "./member.ts";
import { memberTest } from "./member.ts";
import { sampleMember, sampleOperators, sampleRun } from "./sample-rollout.ts";
import { survey } from "./survey.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");

interface Given {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly members?: readonly Member[];
  readonly afterMs?: number;
}

function step({ spec = {}, status = {}, members = [], afterMs = 0 }: Given): RolloutStep {
  const rollout = sampleRun(spec, status);
  const nowMs = startMs + afterMs;
  const seen = survey({
    rollout,
    members: members.filter(memberTest(rollout)),
    isRollback: isRollingBack(rollout),
    operatorsOf: (cluster) => (cluster === "east-1" ? sampleOperators : undefined),
    refusalOf: () => undefined,
    nowMs,
  });
  return decideRollout({ rollout, survey: seen, nowMs });
}

/** Kind, and what matters about it. */
function shown(given: Given): string {
  const found = step(given);
  switch (found.kind) {
    case "update":
    case "revert":
      return `${found.kind} ${found.members.length}`;
    case "move":
      return `${found.phase} ${found.event} wave ${found.wave}`;
    case "rest":
      return `${found.reason} ${found.againMs ?? ""}`.trim();
    default:
      return found satisfies never;
  }
}

const change = {
  name: "two",
  uid: "rollout-1",
  from: { product: "1.0.0", operator: "1.0.0" },
  at: "2026-01-01T00:00:00Z",
  wasReady: true,
};
const asked = { versions: { product: "2.0.0" }, rollout: change };
const running = { actualVersions: { product: "2.0.0", operator: "1.0.0" } };

function many(count: number, spec: JsonObject = {}, status: JsonObject = {}): Member[] {
  return Array.from({ length: count }, (_, at) =>
    sampleMember(`${JSON.stringify(spec).length}-${at}`, spec, status),
  );
}

const waves = [
  { percent: 10, maxUnavailable: 3 },
  { count: 50, maxUnavailable: 20 },
  { percent: 100, maxUnavailable: 100 },
];

test("a wave updates its share of the instances, within the limit of the wave", () => {
  const members = many(100);
  assert.equal(shown({ spec: { waves }, members }), "update 3");
  assert.equal(shown({ spec: { waves }, status: { wave: 2 }, members }), "update 20");
  assert.equal(shown({ spec: { waves }, status: { wave: 3 }, members }), "update 50", "a batch");
});

test("instances in progress use up the limit of the wave", () => {
  const members = [...many(2, asked), ...many(98)];
  assert.equal(shown({ spec: { waves }, members }), "update 1");
  const full = [...many(3, asked), ...many(97)];
  assert.equal(shown({ spec: { waves }, members: full }), "Updating 600000");
});

test("a wave ends when its instances are healthy and it has soaked", () => {
  const spec = { waves: [{ percent: 50, soakSeconds: 60 }, { percent: 100 }] };
  const members = [...many(1, asked, running), ...many(1)];
  assert.equal(shown({ spec, members }), "progressing WaveUpdated wave 1");
  const status = { waveDoneAt: "2026-01-01T00:00:00Z" };
  assert.equal(shown({ spec, status, members }), "Soaking 60000");
  const after = { spec, status, members, afterMs: 60_000 };
  assert.equal(shown(after), "progressing WaveStarted wave 2");
  const last = { wave: 2, waveDoneAt: "2026-01-01T00:00:00Z" };
  const all = many(2, asked, running);
  assert.equal(shown({ spec, status: last, members: all }), "completed Completed wave 2");
});

test("the soak time starts again when an instance of the wave is not ready any more", () => {
  const spec = { waves: [{ percent: 100, soakSeconds: 60 }] };
  const status = { waveDoneAt: "2026-01-01T00:00:00Z" };
  const members = many(1, asked, { ...running, phase: "provisioning" });
  assert.equal(shown({ spec, status, members }), "progressing WaveReopened wave 1");
});

test("a Rollout without instances completes", () => {
  assert.equal(shown({}), "progressing WaveUpdated wave 1");
  const status = { waveDoneAt: "2026-01-01T00:00:00Z" };
  assert.equal(shown({ status }), "completed Completed wave 1");
});

test("an instance that cannot be updated waits, and the Rollout with it", () => {
  const cases: readonly (readonly [Member, RegExp])[] = [
    [sampleMember("a", {}, { phase: "provisioning" }), /the phase is provisioning/],
    [sampleMember("a", {}, { upgrading: { product: true } }), /another update is running/],
    [
      sampleMember("a", {}, { placement: { cluster: "gone-1" } }),
      /the cluster of the instance does not exist/,
    ],
    [
      sampleMember("a", {}, { actualVersions: { product: "2.1.0" } }),
      /the version of the product: 2.0.0 is older than 2.1.0/,
    ],
  ];
  for (const [member, reason] of cases) {
    const found = step({ members: [member] });
    assert.equal(found.kind === "rest" && found.reason, "Waiting");
    assert.match(found.kind === "rest" ? found.message : "", reason);
  }
});

test("instances of probes and instances that are deleted are not updated", () => {
  const members = [
    sampleMember("a", { isInternal: true }),
    sampleMember("b", {}, { phase: "deprovision" }),
  ];
  assert.equal(shown({ members }), "progressing WaveUpdated wave 1");
});

test("the selector decides, and the scope bounds it", () => {
  const members = [sampleMember("a", { traits: ["canary"] }), sampleMember("b")];
  const spec = { selector: { traits: ["canary"] }, waves: [{ percent: 100, maxUnavailable: 9 }] };
  assert.equal(shown({ spec, members }), "update 1");
  assert.equal(shown({ spec: { ...spec, scope: [] }, members }), "progressing WaveUpdated wave 1");
  for (const selector of [
    { organisations: ["other"] },
    { clusters: ["other"] },
    { types: ["eval"] },
    { regions: ["other"] },
    { providers: ["other"] },
  ]) {
    assert.equal(shown({ spec: { selector }, members }), "progressing WaveUpdated wave 1");
  }
});

test("a failed instance stops the Rollout, or rolls it back", () => {
  const members = [...many(1, asked, { phase: "failed" }), ...many(3)];
  assert.equal(shown({ members }), "paused GateFailed wave 1");
  const spec = { onFailure: "rollback" };
  assert.equal(shown({ spec, members }), "rollingBack RollbackStarted wave 1");
  assert.equal(shown({ spec: { gates: { maxFailed: 1 } }, members }), "update 1");
});

test("an instance that is not ready in time has failed", () => {
  const gates = { notReadySeconds: 30 };
  const members = many(1, asked);
  assert.equal(shown({ spec: { gates }, members, afterMs: 29_000 }), "Updating 1000");
  assert.equal(shown({ spec: { gates }, members, afterMs: 30_000 }), "paused GateFailed wave 1");
});

test("an instance that was not ready before does not count as a failure", () => {
  const spec = { ...asked, rollout: { ...change, wasReady: false } };
  const members = many(1, spec, { phase: "failed" });
  assert.equal(shown({ members }), "progressing WaveUpdated wave 1");
});

test("the share of failures is judged over the updated instances", () => {
  const gates = { maxFailedPercent: 25 };
  const failed = many(1, asked, { phase: "failed" });
  const spec = { gates, waves: [{ percent: 100, maxUnavailable: 50 }] };
  assert.equal(shown({ spec, members: [...failed, ...many(3, asked, running)] }), shownDone);
  const worse = [...failed, ...many(2, asked, running), ...many(5)];
  assert.equal(shown({ spec, members: worse }), "paused GateFailed wave 1");
});

const shownDone = "progressing WaveUpdated wave 1";

test("a condition over the counts is a gate", () => {
  const members = [...many(2, asked, running), ...many(2)];
  const gates = (condition: string): JsonObject => ({ gates: { condition } });
  assert.equal(shown({ spec: gates("healthy * 2 >= updated && wave == 1"), members }), "update 1");
  const found = step({ spec: gates("healthy > 2"), members });
  assert.equal(found.kind === "move" && found.message, "gates.condition is false: healthy > 2");
  assert.equal(shown({ spec: gates("1 / (total - 4) == 0"), members }), "paused GateFailed wave 1");
});

test("a Rollout that a gate paused continues after a change of the spec", () => {
  const members = many(2);
  const status = { phase: "paused", pausedGeneration: 1 };
  assert.equal(shown({ status, members }), "GateFailed");
  const older = { phase: "paused", pausedGeneration: 0 };
  assert.equal(shown({ status: older, members }), "progressing Resumed wave 1");
  assert.equal(shown({ spec: { action: "pause" }, status: older, members }), "GateFailed");
});

test("spec.action pauses and aborts", () => {
  const members = many(2);
  assert.equal(shown({ spec: { action: "pause" }, members }), "Paused");
  assert.equal(shown({ spec: { action: "abort" }, members }), "aborted Aborted wave 1");
  const status = { phase: "aborted" };
  assert.equal(shown({ spec: { action: "run" }, status, members }), "Aborted");
});

test("a rollback reverts failed instances at once and the others within the limit", () => {
  const spec = { action: "rollback", waves: [{ percent: 100, maxUnavailable: 2 }] };
  const members = [...many(3, asked, { phase: "failed" }), ...many(4, asked, running)];
  assert.equal(shown({ spec, members }), "rollingBack RollbackStarted wave 1");
  const status = { phase: "rollingBack" };
  assert.equal(shown({ spec, status, members }), "revert 3");
  assert.equal(shown({ spec, status, members: members.slice(3) }), "revert 2");
});

test("a rollback ends when the instances run the earlier versions or have failed", () => {
  const status = { phase: "rollingBack" };
  const reverted = { versions: change.from, rollout: { ...change, isRolledBack: true } };
  const members = many(2, reverted, running);
  assert.equal(shown({ status, members }), "RollingBack 600000");
  const done = many(2, reverted);
  assert.equal(shown({ status, members: done }), "rolledBack RolledBack wave 1");
  assert.equal(shown({ status, members, afterMs: 600_000 }), "rolledBack RolledBack wave 1");
});

test("versions that were changed after the update are left alone", () => {
  const members = many(1, { ...asked, versions: { product: "3.0.0" } });
  assert.equal(shown({ members }), shownDone);
  const status = { phase: "rollingBack" };
  assert.equal(shown({ status, members }), "rolledBack RolledBack wave 1");
});

test("fewer waves than before leave the last one", () => {
  const status = { wave: 5 };
  assert.equal(
    shown({ spec: { waves: [{ percent: 100 }] }, status, members: many(3) }),
    "update 1",
  );
});
