// Kinds that an import proposes require what their service does.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { madeUp } from "../../modules/connect/document/made-up.ts";
import { propose } from "../../modules/connect/import/propose.ts";
import { openMemoryPlane } from "../memory-plane.ts";

const schema = (required: readonly string[]): JsonObject => ({
  type: "object",
  properties: { name: { type: "string" }, size: { type: "integer" } },
  ...(required.length === 0 ? {} : { required: [...required] }),
});

async function kindWith(required: readonly string[]): Promise<JsonObject> {
  const body = { in: "body", name: "body", schema: schema(required) };
  const id = { in: "path", name: "name", required: true, type: "string" };
  const answer = { responses: { "200": { description: "", schema: schema([]) } } };
  const root: JsonObject = {
    swagger: "2.0",
    info: { title: "Bakery", version: "1" },
    paths: {
      "/cakes/{name}": {
        parameters: [id],
        get: answer,
        put: { ...answer, parameters: [body] },
        delete: answer,
      },
    },
  };
  const { kinds } = propose(await madeUp({ root }), {
    baseUrl: "http://127.0.0.1:8081",
    group: "bakery.example",
  });
  const [kind] = kinds;
  assert.ok(kind !== undefined);
  return kind.definition;
}

const cake = (name: string, more: JsonObject): JsonObject => ({
  apiVersion: "bakery.example/v1",
  kind: "Cake",
  metadata: { name, namespace: "default" },
  ...more,
});

it("wants a spec where fields of it are required, except for what is adopted", async () => {
  await using memory = await openMemoryPlane({ seed: 1 });
  await memory.create(await kindWith(["size"]));
  await assert.rejects(
    memory.create(cake("a", {})),
    /spec: Required value: it may be left out only where connect\.id names an object that exists/,
  );
  await assert.rejects(
    memory.create(cake("a", { connect: { drift: "report" } })),
    /spec: Required/,
  );
  await assert.rejects(memory.create(cake("a", { spec: {} })), /spec\.size: Required value/);
  await memory.create(cake("a", { connect: { id: "a" } }));
  await memory.create(cake("b", { spec: { size: 1 } }));
});

it("wants no spec where nothing of it is required", async () => {
  await using memory = await openMemoryPlane({ seed: 1 });
  await memory.create(await kindWith([]));
  await memory.create(cake("a", {}));
});
