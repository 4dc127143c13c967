import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { sampleInstance } from "../rollouts/sample-rollout.ts";
import { decideProbe } from "./decide.ts";
import type { ProbeFacts } from "./decide.ts";
import { newRun } from "./probe.ts";
import type { ProbeRun } from "./probe.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");
const probe = { intervalMs: 300_000, timeoutMs: 60_000, verify: undefined, isPaused: false };
const idle: ProbeRun = { ...newRun({ provider: "aws", region: "us-east-1" }), sequence: 1 };
const waiting: ProbeRun = { ...idle, startedAtMs: startMs };
const started: ProbeRun = { ...waiting, instance: "probe-1" };
const judged: ProbeRun = { ...started, verdict: { result: "success", reason: "" } };

function instance(phase: string, isDeleting = false, status: JsonObject = {}): Resource {
  const sample = sampleInstance("probe-1", {}, { phase, ...status });
  const metadata = { ...sample.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  return isDeleting ? { ...sample, metadata } : sample;
}

function shown(given: Partial<ProbeFacts> & { readonly afterMs?: number }): string {
  const { afterMs = 0, ...facts } = given;
  const nowMs = startMs + afterMs;
  const base = { probe, run: idle, isWanted: true, instance: undefined, nowMs };
  const step = decideProbe({ ...base, ...facts });
  if (step.kind === "judge") return `${step.verdict.result}: ${step.verdict.reason}`;
  if (step.kind === "rest") return `rest ${step.againMs ?? ""}`.trim();
  return step.kind;
}

test("an instance is created once in an interval", () => {
  assert.equal(shown({}), "begin");
  assert.equal(shown({ run: waiting }), "rest 300000");
  assert.equal(shown({ run: waiting, afterMs: 300_000 }), "begin");
  assert.equal(shown({ run: started }), "create");
  assert.equal(shown({ run: started, instance: instance("preparing") }), "rest 60000");
});

test("a ready instance is verified and then deleted", () => {
  assert.equal(shown({ run: started, instance: instance("ready") }), "verify");
  assert.equal(shown({ run: judged, instance: instance("ready") }), "delete");
  const deleting = { ...judged, deletingAtMs: startMs };
  assert.equal(shown({ run: deleting, instance: instance("deleting", true) }), "rest 60000");
  assert.equal(shown({ run: deleting }), "end");
});

test("an instance that fails, is deleted by others or takes too long is a failure", () => {
  const failed = instance("failed", false, { failedReason: "no cluster" });
  assert.equal(
    shown({ run: started, instance: failed }),
    "failure: the instance failed: no cluster",
  );
  const gone = instance("deprovision", true);
  assert.match(shown({ run: started, instance: gone }), /^failure: the instance was deleted by/);
  const late = { run: started, instance: instance("provisioning"), afterMs: 60_000 };
  assert.equal(shown(late), "failure: not ready and verified after 60 s");
});

test("a deletion that takes too long is reported once", () => {
  const run = { ...judged, deletingAtMs: startMs };
  const given = { instance: instance("deleting", true), afterMs: 60_000 };
  assert.equal(shown({ ...given, run }), "late");
  assert.equal(shown({ ...given, run: { ...run, isLate: true } }), "rest");
});

test("a paused Probe and a region that is not wanted finish what is there", () => {
  const paused = { ...probe, isPaused: true };
  assert.equal(shown({ probe: paused }), "rest");
  assert.equal(shown({ probe: paused, run: started, instance: instance("ready") }), "verify");
  assert.equal(shown({ isWanted: false }), "rest");
  assert.match(shown({ isWanted: false, run: started, instance: instance("ready") }), /^success/);
  assert.equal(shown({ isWanted: false, run: judged, instance: instance("ready") }), "delete");
});
