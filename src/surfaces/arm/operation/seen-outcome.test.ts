// What a change tells of an operation: its success only where the resource shows just that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { SeenChange } from "../../../modules/resource-provider/operations/awaited-changes.ts";
import { envelopeAnnotation } from "../../../modules/resource-provider/face.ts";
import type { OperationSpec } from "../../../modules/resource-provider/operations/record.ts";
import { seenEnd } from "./seen-outcome.ts";

const subscription = "/subscriptions/11111111-2222-3333-4444-555555555555";
const resourceId = `${subscription}/resourceGroups/a/providers/Example.Shop/shops/one`;
const namespace = "sub-11111111-2222-3333-4444-555555555555";
const key = { kind: "shops.example.dev", namespace, name: "one" };
const startedAt = "2026-01-01T00:00:00Z";
const spec = { verb: "create", resourceId, resource: key, uid: "u", generation: 1, startedAt };
const operation = { id: "1", spec: spec as OperationSpec };
const surface = {
  faces: { byKind: () => ({ kind: key.kind }) },
  intents: {
    kinds: { byId: () => ({ isReconciled: true }) },
    clock: { nowMs: () => Date.parse(startedAt) },
  },
} as unknown as ArmSurface;

interface Given {
  readonly generation?: number;
  readonly doneGeneration?: number;
  readonly operation?: object;
  readonly id?: string;
  readonly isDeleting?: boolean;
  readonly change?: Partial<SeenChange>;
}

function told({ generation = 1, doneGeneration = 1, id = resourceId, ...given }: Given): string {
  const mark = { id: "1", verb: "create", startedAt, isAsync: true, ...given.operation };
  const envelope = { id, name: "one", location: "here", operation: mark };
  const resource: Resource = {
    apiVersion: "example.dev/v1",
    kind: "Shop",
    metadata: {
      name: "one",
      namespace,
      uid: "u",
      generation,
      creationTimestamp: startedAt,
      annotations: { [envelopeAnnotation]: JSON.stringify(envelope) },
      ...(given.isDeleting === true ? { deletionTimestamp: startedAt } : {}),
    },
    spec: {},
    status: {
      observedGeneration: doneGeneration,
      reconcile: { succeeded: { generation: doneGeneration, at: startedAt } },
    },
  };
  const body = encodeDocument(resource);
  const change = { key, type: "updated", uid: "u", revision: 2, previous: 1, body } as const;
  return seenEnd(surface, operation, { ...change, ...given.change }, undefined).what;
}

test("a success is told where the resource shows it as it was asked for", () => {
  assert.equal(told({}), "succeeded");
});

test("what goes on goes on", () => {
  assert.equal(told({ doneGeneration: 0 }), "goes on");
  // Somebody has changed it by other means since.
  const endedAt = "2026-01-01T00:00:01Z";
  assert.equal(told({ generation: 2, operation: { endedAt } }), "goes on");
});

test("whatever else a change tells, somebody has to look", () => {
  const endedAt = "2026-01-01T00:00:01Z";
  const others: readonly Given[] = [
    { change: { type: "deleted" } },
    { change: { uid: "another" } },
    { operation: { id: "2" } },
    { id: `${resourceId}-moved` },
    // Another change of the same resource has come to its end, too.
    { generation: 2, doneGeneration: 2 },
    { generation: 2, doneGeneration: 2, operation: { endedAt } },
  ];
  for (const other of others) assert.equal(told(other), "over", JSON.stringify(other));
});
