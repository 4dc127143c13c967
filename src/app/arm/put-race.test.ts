// A PUT between whose look and whose commit somebody else deletes the resource.
import assert from "node:assert/strict";
import { it } from "node:test";
import { openMemoryArm } from "./memory-arm.ts";

it("a PUT of what is deleted at that moment creates it anew", async () => {
  let deleteIt: (() => Promise<unknown>) | undefined;
  await using arm = await openMemoryArm(async (go, ...given) => {
    const first = deleteIt;
    deleteIt = undefined;
    await first?.();
    return await go(...given);
  });
  assert.equal((await arm.put("a/one")).status, 201);
  const { target } = await arm.found("a/one");
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  deleteIt = async () =>
    await arm.memory.store.commit([{ kind: "delete", key, when: { kind: "exists" } }]);
  const again = await arm.put("a/one", { a: "b" });
  assert.equal(again.status, 201);
  assert.deepEqual(again.body?.["tags"], { a: "b" });
});
