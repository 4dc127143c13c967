import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { ArmSurface } from "./arm-request.ts";
import { operationKind } from "./face.ts";
import { FollowedOperations } from "./followed-operations.ts";
import { readOperation } from "./operations.ts";
import { RecentDocuments } from "./recent-documents.ts";

test("an operation is about a resource of its own namespace, whatever its record has", async () => {
  const resource = { kind: "ovens.tests.dev", namespace: "sub-b", name: "victim" };
  const body = Buffer.from(
    JSON.stringify({ metadata: { name: "x" }, spec: { verb: "update", resource } }),
  );
  const get = (key: ResourceKey): Promise<StoredRecord> =>
    Promise.resolve({ key, revision: 1, body } as unknown as StoredRecord);
  const documents = new RecentDocuments();
  const followed = new FollowedOperations(10);
  const surface = { intents: { store: { get } }, documents, followed } as unknown as ArmSurface;
  const found = await readOperation(surface, "sub-a", "X");
  assert.deepEqual(found?.spec.resource, { ...resource, namespace: "sub-a" });
  assert.deepEqual(found.record.key, { kind: operationKind, namespace: "sub-a", name: "x" });
});
