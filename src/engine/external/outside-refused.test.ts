import assert from "node:assert/strict";
import { it } from "node:test";
import { seededRandom } from "../../kernel/random.ts";
import { objectsAt, valueAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { done, failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import { CallRefused } from "./call-refused.ts";
import { outcomeInside } from "../run/run-ended.ts";
import { settle } from "../run/settle.ts";
import type { RunFacts } from "../run/settle.ts";

const nowMs = Date.UTC(2026, 0, 1);
const reconciler = { kind: "databases.example.com", reconcile: async () => done() };
const facts: RunFacts = {
  what: "reconcile",
  generation: 1,
  request: undefined,
  note: undefined,
  startedMs: nowMs,
  tookMs: 0,
  worker: "w",
};

function settled(resource: Resource, outcome: Outcome, about: RunFacts): Resource {
  const { status } = settle(resource, outcome, about, reconciler, nowMs, seededRandom(1));
  return { ...resource, status };
}

it("a refusal is no failed attempt, and what was ready stays ready", () => {
  const fresh: Resource = {
    apiVersion: "example.com/v1",
    kind: "Database",
    metadata: { name: "a", uid: "u", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
  };
  const twice = [done(), failed("Down", "no"), failed("Down", "no")].reduce(
    (resource, outcome) => settled(resource, outcome, facts),
    fresh,
  );
  const refusal = new CallRefused("db.example.com", "CircuitOpen", 7_000, "not now");
  const outcome = outcomeInside(new Error("wrapped", { cause: refusal }));
  assert.ok(outcome !== undefined);
  const after = settled(twice, outcome, facts);
  assert.equal(valueAt(after, "status", "reconcile", "attempts"), 2);
  assert.equal(valueAt(after, "status", "reconcile", "nextAttempt"), "2026-01-01T00:00:07Z");
  const [ready, synced] = objectsAt(after, "status", "conditions");
  assert.deepEqual([ready?.["type"], ready?.["status"]], ["Ready", "True"]);
  assert.deepEqual([synced?.["status"], synced?.["reason"]], ["False", "CircuitOpen"]);
  const delay = settle(after, outcome, facts, reconciler, nowMs, seededRandom(1)).releaseAfterMs;
  assert.equal(delay, 7_000);
  const asked = { ...facts, request: "r1" };
  const refused = settled(after, outcome, asked);
  assert.equal(valueAt(refused, "status", "reconcile", "handledRequest"), undefined);
  const handled = settled(refused, failed("Down", "no"), asked);
  assert.equal(valueAt(handled, "status", "reconcile", "handledRequest"), "r1");
  const still = settled(handled, outcome, { ...facts, request: "r2" });
  assert.equal(valueAt(still, "status", "reconcile", "handledRequest"), "r1");
});
