// Whose the fields of a resource are that was made through this surface.
import assert from "node:assert/strict";
import { it } from "node:test";
import { decodeDocument } from "../../../kernel/document.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { openMemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";
import type { MemoryArm } from "../../../../tests/arm-memory/memory-arm.ts";

/** What the surface owns of the metadata. */
async function owned(arm: MemoryArm, path: string): Promise<readonly string[]> {
  const { record } = await arm.found(path);
  assert.ok(record !== undefined);
  const { metadata } = decodeDocument(record.body, record.revision);
  const [entry, ...others] = objectsAt(metadata, "managedFields");
  assert.equal(others.length, 0);
  assert.equal(textAt(entry, "manager"), "arm");
  return Object.keys(objectAt(entry, "fieldsV1", "f:metadata"));
}

it("notes are nobody's; what is around a resource is owned by the surface", async () => {
  await using arm = await openMemoryArm();
  for (const path of ["a/one", "a/one/x"]) assert.equal((await arm.put(path)).status, 201);
  assert.deepEqual(await owned(arm, "a/one"), []);
  assert.deepEqual(await owned(arm, "a/one/x"), ["f:ownerReferences"]);
});
