// Deletions of what others are inside of, of kinds on which nobody works.
import assert from "node:assert/strict";
import { it } from "node:test";
import { namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import {
  operationProgress,
  readOperation,
} from "../../../modules/resource-provider/operations/operations.ts";
import { openMemoryArm, subscription } from "../../../../tests/arm-memory/memory-arm.ts";

it("ends with what is inside, where nobody works on either", async () => {
  await using arm = await openMemoryArm();
  const { surface, memory } = arm;
  const { timers } = memory.surroundings;
  for (const path of ["a/one", "a/one/x", "a/one/y"]) {
    assert.equal((await arm.put(path)).status, 201);
  }
  const thing = (await arm.found("a/one/x")).target;
  const place = { apiVersion: "tests.dev/v1", kind: "Thing", namespace: thing.namespace };
  const held = { ...place, name: thing.name };
  await memory.patch(held, { metadata: { finalizers: ["tests.dev/hold"] } });
  const answer = await arm.remove("a/one");
  assert.equal(answer.status, 202);
  const url = new URL(String(answer.headers?.["azure-asyncoperation"]));
  const id = url.pathname.split("/").at(-1) ?? "";
  const stateOf = async (): Promise<string | undefined> => {
    const operation = await readOperation(surface, namespaceOf(subscription), id);
    assert.ok(operation !== undefined);
    return (await operationProgress(surface, operation)).end?.state;
  };
  await timers.advance(10_000);
  assert.equal((await arm.found("a/one/y")).record, undefined);
  assert.notEqual((await arm.found("a/one")).record, undefined);
  assert.equal(await stateOf(), undefined);
  await memory.patch(held, { metadata: { finalizers: null } });
  await timers.advance(10_000);
  assert.equal((await arm.found("a/one")).record, undefined);
  assert.equal(await stateOf(), "Succeeded");
});

it("is at once where nothing can be inside", async () => {
  await using arm = await openMemoryArm();
  for (const path of ["a/one", "a/one/x"]) await arm.put(path);
  assert.equal((await arm.remove("a/one/x")).status, 200);
  assert.equal((await arm.found("a/one/x")).record, undefined);
});
