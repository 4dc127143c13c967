// Once an operation has succeeded, nothing that happens to its resource makes it go on or end anew.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { envelopeOf } from "../envelope.ts";
import { envelopeAnnotation } from "../face.ts";
import { hiddenSuccess, successIn } from "./lasting-success.ts";
import type { AcceptedOperation } from "./lasting-success.ts";

const at = "2026-01-01T00:01:00Z";
const mark = { id: "op", verb: "create", startedAt: "2026-01-01T00:00:00Z" };
const operation = { id: "op", verb: "create", generation: 1 } as const;

interface Made {
  readonly generation?: number;
  readonly succeeded?: JsonObject;
  readonly mark?: JsonObject;
  readonly metadata?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly reconcile?: JsonObject;
  readonly spec?: JsonObject;
}

function resource(made: Made = {}): Resource {
  const { generation = 1, succeeded = { generation, at }, spec = {} } = made;
  const envelope = JSON.stringify({
    id: "/subscriptions/s/x",
    name: "x",
    operation: made.mark ?? mark,
  });
  return {
    apiVersion: "tests.dev/v1",
    kind: "Jar",
    metadata: {
      name: "x",
      namespace: "sub-s",
      uid: "u",
      generation,
      creationTimestamp: mark.startedAt,
      annotations: { [envelopeAnnotation]: envelope, ...made.annotations },
      ...made.metadata,
    },
    spec,
    status: { observedGeneration: generation, reconcile: { succeeded, ...made.reconcile } },
  };
}

function success(made: Made, of: AcceptedOperation = operation): ReturnType<typeof successIn> {
  const shown = resource(made);
  const envelope = envelopeOf(shown);
  assert.ok(envelope !== undefined);
  return successIn(shown, envelope, of);
}

test("it has succeeded when its resource shows it, and not before", () => {
  assert.deepEqual(success({}), { at, isLasting: true });
  assert.equal(success({ succeeded: {} }), undefined);
  assert.equal(success({ generation: 2, succeeded: { generation: 0, at } }), undefined);
  const wish = { annotations: { "setpoint.dev/reconcile": "op" } };
  assert.equal(success(wish), undefined, "an earlier run is not the one that was asked for");
  assert.deepEqual(success({ ...wish, reconcile: { handledRequest: "op" } }), {
    at,
    isLasting: true,
  });
});

test("another operation, and a deletion, do not succeed by that", () => {
  assert.equal(success({ mark: { ...mark, id: "other" } }), undefined);
  assert.equal(
    success({ mark: { ...mark, verb: "delete" } }, { ...operation, verb: "delete" }),
    undefined,
  );
});

test("what is changed or deleted since then does not begin it anew, and is to be recorded", () => {
  assert.deepEqual(success({ generation: 2, succeeded: { generation: 1, at } }), {
    at,
    isLasting: false,
  });
  const metadata = { deletionTimestamp: "2026-01-02T00:00:00Z" };
  assert.deepEqual(success({ metadata }), { at, isLasting: false });
  assert.equal(success({ metadata, succeeded: {} }), undefined);
});

test("what is in the envelope counts, whatever the resource shows now", () => {
  const ended = { ...mark, endedAt: at };
  assert.deepEqual(success({ mark: ended, generation: 9, succeeded: {} }), { at, isLasting: true });
});

test("a change of spec or status, or a wish for a run, hides a success; others do not", () => {
  const old = resource();
  assert.equal(hiddenSuccess(old, resource({ spec: { size: 2 } })), at);
  assert.equal(hiddenSuccess(old, { ...old, status: {} }), at);
  assert.equal(
    hiddenSuccess(old, resource({ annotations: { "setpoint.dev/reconcile": "1" } })),
    at,
  );
  assert.equal(hiddenSuccess(old, resource({ annotations: { mine: "1" } })), undefined);
  assert.equal(hiddenSuccess(old, resource({ metadata: { labels: { mine: "1" } } })), undefined);
});

test("what has not succeeded, or is in the envelope already, is not hidden", () => {
  const next = resource({ spec: { size: 2 } });
  assert.equal(hiddenSuccess(resource({ succeeded: {} }), next), undefined);
  assert.equal(hiddenSuccess(resource({ mark: { ...mark, endedAt: at } }), next), undefined);
  assert.equal(
    hiddenSuccess({ ...next, metadata: { ...next.metadata, annotations: {} } }, next),
    undefined,
  );
});
