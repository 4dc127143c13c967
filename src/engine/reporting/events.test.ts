import assert from "node:assert/strict";
import { it } from "node:test";
import { setCondition } from "../../kernel/conditions.ts";
import type { Condition, ConditionStatus } from "../../kernel/conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Metadata, Resource } from "../../kernel/resource.ts";
import { eventsBetween } from "./events.ts";
import { finalizer } from "../names.ts";

type Said = readonly [status: ConditionStatus, reason: string, message?: string];

interface Given {
  readonly ready?: Said;
  readonly synced?: Said;
  readonly reconcile?: JsonObject;
  readonly metadata?: Partial<Metadata>;
}

function resource({ ready, synced, reconcile = {}, metadata = {} }: Given): Resource {
  let conditions: readonly Condition[] = [];
  for (const [type, said] of Object.entries({ Ready: ready, Synced: synced })) {
    if (said === undefined) continue;
    const [status, reason, message = ""] = said;
    conditions = setCondition(conditions, { type, status, reason, message }, 0);
  }
  return {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: {
      name: "a",
      uid: "u",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    status: { conditions, reconcile },
  };
}

function told(before: Given, after: Given): readonly string[] {
  return eventsBetween(resource(before), resource(after)).map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`,
  );
}

const good: Given = { ready: ["True", "Available"], synced: ["True", "ReconcileSuccess"] };
const bad: Given = { ready: ["True", "Available"], synced: ["False", "Down", "no answer"] };

it("a new resource that becomes ready is told once", () => {
  assert.deepEqual(told({}, good), ["Normal Available: the resource is ready"]);
  assert.deepEqual(told(good, good), []);
});

it("a resource that begins to wait for others is told once, with what for", () => {
  const synced: Said = ["True", "ReconcileSuccess"];
  const waits: Given = { ready: ["False", "Waiting", "the slogan is missing"], synced };
  assert.deepEqual(told({}, waits), ["Normal Waiting: the slogan is missing"]);
  const first: Given = { ready: ["False", "InProgress"], synced: ["Unknown", "InProgress"] };
  assert.deepEqual(told(first, waits), ["Normal Waiting: the slogan is missing"]);
  assert.deepEqual(told(waits, waits), []);
  const waitingFor = ["a", "b", "c"].map((name) => ({ kind: "configmaps", name }));
  const silent: Given = { ready: ["False", "Waiting"], synced, reconcile: { waitingFor } };
  assert.deepEqual(told({}, silent), ["Normal Waiting: waits for configmaps/a and 2 more"]);
  assert.deepEqual(told(good, waits), ["Warning Waiting: the slogan is missing"]);
});

it("a resource that is being made is told when it is ready", () => {
  const making: Given = {
    ready: ["False", "InProgress", "1 of 3"],
    synced: ["True", "ReconcileSuccess"],
  };
  assert.deepEqual(told({}, making), []);
  assert.deepEqual(told(making, good), ["Normal Available: the resource is ready"]);
});

it("a failure and its end are told", () => {
  assert.deepEqual(told(good, bad), ["Warning Down: no answer"]);
  assert.deepEqual(told(bad, good), ["Normal Recovered: ready again after Down"]);
  assert.deepEqual(told({}, { ...bad, ready: ["False", "Down", "no answer"] }), [
    "Warning Down: no answer",
  ]);
});

it("what goes after a failure has not come to work again", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const open: Given = { synced: ["False", "CircuitOpen", "calls fail"] };
  const going: Given = {
    ready: ["False", "Deleting"],
    synced: ["True", "ReconcileSuccess"],
    metadata: { deletionTimestamp },
  };
  const held = { ...open, metadata: { deletionTimestamp, finalizers: [finalizer] } };
  assert.deepEqual(told(held, going), ["Normal Released: the finalizer was removed"]);
});

it("a failure that makes it unusable is told once when both say the same", () => {
  const gone: Given = {
    ready: ["False", "Down", "no answer"],
    synced: ["False", "Down", "no answer"],
  };
  assert.deepEqual(told(good, gone), ["Warning Down: no answer"]);
});

it("what goes on failing is told with ever fewer of its tries, and for ever", () => {
  const tries = Array.from({ length: 12 }, (_, at) => at + 1).filter((attempts) => {
    const before = { ...bad, reconcile: { attempts: attempts - 1 } };
    return told(before, { ...bad, reconcile: { attempts } }).length > 0;
  });
  assert.deepEqual(tries, [1, 2, 4, 8, 9, 10, 11, 12]);
});

it("another reason to fail is told, as when its worker was lost", () => {
  const lost: Given = { ...bad, synced: ["False", "WorkerLost", "3 workers"] };
  assert.deepEqual(told(bad, lost), ["Warning WorkerLost: 3 workers"]);
});

it("an open circuit is told without the time of the next try, so that it is one event", () => {
  const open: Given = { ...bad, synced: ["False", "CircuitOpen", "calls fail: next at noon"] };
  assert.deepEqual(told(bad, open), ["Warning CircuitOpen: calls fail"]);
});

it("that a system is busy for a moment is nobody's business", () => {
  const busy: Given = { ...bad, synced: ["False", "Busy", "soon"] };
  assert.deepEqual(told(good, busy), []);
  assert.deepEqual(told(busy, good), []);
});

it("a pause and its end are told", () => {
  const paused: Given = { ...good, synced: ["False", "ReconcilePaused", "paused"] };
  assert.deepEqual(told(good, paused), ["Normal Paused: paused"]);
  assert.deepEqual(told(paused, good), ["Normal Resumed: reconciliation resumed"]);
  assert.deepEqual(told(paused, bad), [
    "Normal Resumed: reconciliation resumed",
    "Warning Down: no answer",
  ]);
});

it("a request is told when it was handled, and only then", () => {
  const handled = { ...good, reconcile: { handledRequest: "r1" } };
  assert.deepEqual(told(good, handled), ["Normal RequestHandled: the request r1 was handled"]);
  assert.deepEqual(told(handled, handled), []);
});

it("the beginning of a deletion and its end are told", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const asked = { ...good, metadata: { deletionTimestamp, finalizers: [finalizer, "x"] } };
  const begun: Given = { ...asked, ready: ["False", "Deleting"] };
  const gone: Given = { ...begun, metadata: { deletionTimestamp, finalizers: ["x"] } };
  assert.deepEqual(told(asked, begun), ["Normal Deleting: deletion started"]);
  assert.deepEqual(told(begun, gone), ["Normal Released: the finalizer was removed"]);
});
