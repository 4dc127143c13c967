import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { operationKind } from "../face.ts";
import type { ProviderState } from "../provider-state.ts";
import { FollowedOperations } from "./followed.ts";
import { readOperation } from "./operations.ts";

test("an operation is about a resource of its own namespace, whatever its record has", async () => {
  const resource = { kind: "ovens.tests.dev", namespace: "sub-b", name: "victim" };
  const body = Buffer.from(
    JSON.stringify({ metadata: { name: "x" }, spec: { verb: "update", resource } }),
  );
  const get = (key: ResourceKey): Promise<StoredRecord> =>
    Promise.resolve({ key, revision: 1, body } as unknown as StoredRecord);
  const followed = new FollowedOperations(10);
  const provider = { intents: { store: { get } }, followed } as unknown as ProviderState;
  const found = await readOperation(provider, "sub-a", "X");
  assert.deepEqual(found?.spec.resource, { ...resource, namespace: "sub-a" });
  assert.deepEqual(found.record.key, { kind: operationKind, namespace: "sub-a", name: "x" });
});
