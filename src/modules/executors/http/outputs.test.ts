import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { outputsOf } from "./outputs.ts";

const children = {} as Parameters<typeof outputsOf>[1]["children"];

async function plainOf(spec: JsonObject, response: JsonObject): Promise<JsonObject> {
  const call = { metadata: { name: "call" }, spec } as unknown as Resource;
  const found = await outputsOf(call, { children }, response);
  assert.ok(found.kind === "outputs");
  return found.plain;
}

test("an output does not repeat a secret that was sent", async () => {
  const spec = {
    secretHeaders: { authorization: "Bearer sentinel-header" },
    secretBody: { pin: 12_345_678, nested: ["sentinel-body"] },
    outputs: { all: "response.body", code: "response.status" },
  };
  const body = { seen: "got sentinel-header", pin: 12_345_678, list: ["sentinel-body"] };
  assert.deepEqual(await plainOf(spec, { status: 200, body }), {
    all: { seen: "got [hidden]", pin: "[hidden]", list: ["[hidden]"] },
    code: 200,
  });
});

test("an output can have the name of a part of every object", async () => {
  const outputs = JSON.parse('{"__proto__": "response.status"}') as JsonObject;
  const plain = await plainOf({ outputs }, { status: 200 });
  assert.deepEqual(Object.keys(plain), ["__proto__"]);
});
