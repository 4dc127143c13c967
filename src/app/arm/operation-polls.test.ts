// Who waits asks the same again and again: what did not change is told without looking it up.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isJsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import type { Asked } from "../../surfaces/arm/asked-urls.ts";
import type { ArmAnswer } from "../../surfaces/arm/arm-request.ts";
import { operationKind } from "../../surfaces/arm/face.ts";
import { operationStatus } from "../../surfaces/arm/operation-answers.ts";
import { openMemoryArm, subscription } from "./memory-arm.ts";

function statusIn({ bytes }: ArmAnswer): string {
  const value: unknown = JSON.parse(String(bytes));
  return isJsonObject(value) ? textAt(value, "status") : "";
}

it("looks at the resource alone while that is as it was, at both after a second", async () => {
  await using arm = await openMemoryArm();
  const { store, surroundings } = arm.memory;
  await arm.put("a/one");
  const [record] = (await store.list({ kind: operationKind })).records;
  const { key } = record ?? assert.fail("an operation is recorded with what it is about");
  const { target } = await arm.found("a/one");
  const { namespace, name } = target;
  const read: string[] = [];
  const get = store.get.bind(store);
  store.get = async (asked) => {
    read.push(asked.kind);
    return await get(asked);
  };
  const asked = { memory: {} } as unknown as Asked;
  const provider = "Example.Boxes";
  const place = { kind: "operationStatus", subscription, provider, location: "here" } as const;
  const poll = async (): Promise<readonly string[]> => {
    read.length = 0;
    const answer = await operationStatus(arm.surface, { asked }, { ...place, id: key.name });
    assert.equal(statusIn(answer), "Succeeded");
    return read.toSorted();
  };
  const both = ["boxes.tests.dev", operationKind];
  assert.deepEqual(await poll(), both);
  assert.deepEqual(await poll(), ["boxes.tests.dev"]);
  const box = { apiVersion: "tests.dev/v1", kind: "Box", namespace, name };
  await arm.memory.patch(box, { metadata: { labels: { other: "true" } } });
  assert.deepEqual(await poll(), both);
  assert.deepEqual(await poll(), ["boxes.tests.dev"]);
  surroundings.clock.advanceMs(1_000);
  assert.deepEqual(await poll(), both);
  await store.commit([{ kind: "delete", key, when: { kind: "exists" } }]);
  surroundings.clock.advanceMs(1_000);
  await assert.rejects(poll(), /could not be found/);
});
