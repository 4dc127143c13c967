// What whoever waits for a run is told, by a server that answers as the test says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { ApiClient } from "./api-client.ts";
import { waitForRun } from "./reconcile-request.ts";

const resource = { kind: "Task", name: "a", path: "/tasks/a" };
const token = "t1";

interface Answers {
  readonly annotations?: Record<string, string>;
  readonly status?: Json;
  /** Undefined: one may not ask why. */
  readonly why?: Json;
}

interface Ended {
  readonly message: string;
  readonly suggestion: string | undefined;
  readonly told: readonly string[];
  readonly afterMs: number;
}

/** Waits in vain, or for an answer that comes after a while. */
async function waited(answersAt: (ms: number) => Answers): Promise<Ended> {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const startMs = clock.nowMs();
  const client: ApiClient = {
    namespace: "default",
    get: async (path) => {
      const { annotations = {}, status = {}, why } = answersAt(clock.nowMs() - startMs);
      const document = { metadata: { annotations }, status };
      if (path === resource.path) return await Promise.resolve(document);
      if (why !== undefined) return await Promise.resolve(why);
      throw new SetpointError("request.forbidden", "you may not ask why");
    },
    patch: async () => await Promise.reject(new Error("not here")),
    post: async () => await Promise.reject(new Error("not here")),
    delete: () => Promise.reject(new Error("nothing is deleted")),
    lines: () => {
      throw new Error("nothing is streamed");
    },
  };
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const waiting = waitForRun(client, resource, token, { timeoutMs: 60_000, clock, timers, tell });
  const ended = waiting.then(
    ({ report }) => ({ message: report, suggestion: undefined }),
    (error: unknown) => {
      assert(isSetpointError(error), String(error));
      return { message: error.message, suggestion: error.suggestion };
    },
  );
  await timers.advance(70_000);
  const end = await ended;
  return { ...end, told, afterMs: clock.nowMs() - startMs };
}

function whyOf(state: string, workers: string | undefined, summary = "s"): Json {
  return { summary, resource: { state, ...(workers === undefined ? {} : { workers }) } };
}

test("a wait for what is paused, skipped or in nobody's hands ends with why", async () => {
  const skipped = { conditions: [{ type: "Synced", status: "True", reason: "Skipped" }] };
  const cases: readonly (readonly [Answers, RegExp, RegExp])[] = [
    [{ annotations: { "setpoint.dev/paused": "true" } }, /: it is paused;/, /dev\/paused;/],
    [{ annotations: { "setpoint.dev/paused": "yes" } }, /: it is paused;/, /dev\/paused;/],
    [
      { annotations: { "setpoint.dev/policy": "skip" }, status: skipped },
      /: its policy is skip;/,
      /dev\/policy;/,
    ],
    [{ why: whyOf("Unattended", "none") }, /: no worker is running for this kind;/, /start a/],
    [{ why: whyOf("Unhandled", undefined) }, /: no reconciler handles its kind;/, /start a worker/],
    [{ why: whyOf("Ready", undefined) }, /: no reconciler handles its kind;/, /that uses it/],
  ];
  for (const [answers, message, suggestion] of cases) {
    const ended = await waited(() => answers);
    assert.match(ended.message, /^Task\/a is not reconciled/);
    assert.match(ended.message, message);
    assert.match(ended.suggestion ?? "", suggestion);
  }
});

test("a wait that takes a while says what for, once, and ends in time", async () => {
  const why = whyOf("Queued", "unknown", "Task/a is not ready: due now, waiting for a worker");
  const ended = await waited(() => ({ why }));
  assert.deepEqual(ended.told, ["Task/a is not ready: due now, waiting for a worker"]);
  assert.match(ended.message, /was not reconciled in time \(Task\/a is not ready: due now/);
});

test("a wait while a breaker is open tells of it, while it lasts and in the end", async () => {
  const summary = "Task/a is not ready: delayed, next retry in 6 s";
  const reason = "CircuitOpen: calls of board have failed: the next is tried after noon";
  const known = { state: "HeldOff", workers: "here", details: [reason, "failed 9 times before"] };
  const ended = await waited(() => ({ why: { summary, resource: known } }));
  assert.deepEqual(ended.told, [`${summary}; ${reason}`]);
  const inTime = `Task/a was not reconciled in time (${summary}; ${reason}); request pending`;
  assert.equal(ended.message, inTime);
});

test("a wait goes on without an explanation, and tells how the run ended", async () => {
  const status = {
    reconcile: { handledRequest: token },
    conditions: [{ type: "Ready", status: "True", reason: "Available" }],
  };
  const ended = await waited((ms) => (ms < 10_000 ? {} : { status }));
  assert.deepEqual([ended.message, ended.told], ["Available", []]);
});
