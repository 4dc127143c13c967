// Writes of large documents: their steps are separated by turns of the event loop.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JsonObject } from "../kernel/json.ts";
import { limits } from "../kernel/limits.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";

let memory: MemoryPlane;

before(async () => {
  memory = await openMemoryPlane();
});
after(async () => {
  await memory[Symbol.asyncDispose]();
});

function configMap(name: string, bytes: number): JsonObject {
  const data = { text: "x".repeat(bytes) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

/** Turns of the event loop during the work; the store of the test needs none. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  const first = setImmediate(count);
  await work();
  isDone = true;
  clearImmediate(first);
  return turns;
}

test("the event loop turns between the steps of a large write only", async () => {
  const large = limits.minSlicedBytes;
  const create = (name: string, bytes: number): Promise<number> =>
    turnsDuring(() => memory.create(configMap(name, bytes), { bodyBytes: bytes }));
  assert.equal(await create("small", 100), 0);
  assert.ok((await create("large", large)) >= 4);
  const patch = (name: string): Promise<number> => {
    const at = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name };
    return turnsDuring(() => memory.patch(at, { data: { more: "y" } }));
  };
  assert.equal(await patch("small"), 0);
  assert.ok((await patch("large")) >= 5, "the stored document counts, however small the patch");
});

test("a line of large writes of one namespace does not delay a write of another", async () => {
  const [count, bytes] = [20, limits.minSlicedBytes];
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
  let done = 0;
  const create = async (name: string, namespace: string): Promise<void> => {
    const map = configMap(name, bytes);
    await memory.create({ ...map, metadata: { name, namespace } }, { bodyBytes: bytes });
    done += 1;
  };
  const line = Array.from({ length: count }, (_, index) => create(`line-${index}`, "default"));
  await create("single", "other");
  assert.ok(done <= count / 2, `${done} of ${count} writes were done before it`);
  await Promise.all(line);
});

test("the schema of a large kind is compiled in slices, before its first document", async () => {
  const create = async (plural: string, count: number): Promise<number> => {
    const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
    const fields = Array.from({ length: count }, (_, index) => [`f${index}`, { type: "string" }]);
    const spec = { type: "object", properties: Object.fromEntries(fields) as JsonObject };
    const openAPIV3Schema = { type: "object", properties: { spec } };
    await memory.create({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.large.dev` },
      spec: {
        group: "large.dev",
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    const apiVersion = "large.dev/v1";
    const metadata = { name: "one", namespace: "default" };
    return await turnsDuring(() => memory.create({ apiVersion, kind, metadata }));
  };
  assert.equal(await create("smalls", 10), 0);
  assert.ok((await create("larges", 3 * limits.schemaSliceNodes)) >= 3);
});
