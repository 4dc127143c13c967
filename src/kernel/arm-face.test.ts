import assert from "node:assert/strict";
import { test } from "node:test";
import { armIdOf, envelopeAnnotation } from "./arm-face.ts";
import type { Resource } from "./resource.ts";

function resource(envelope?: string): Resource {
  const annotations = envelope === undefined ? {} : { [envelopeAnnotation]: envelope };
  const metadata = { name: "a", uid: "u", generation: 1, creationTimestamp: "", annotations };
  return { apiVersion: "a/v1", kind: "A", metadata };
}

test("the id of a resource is the one that its clients know", () => {
  const id = "/subscriptions/s/resourceGroups/g/providers/Example.Shop/shops/One";
  assert.equal(armIdOf(resource(JSON.stringify({ id, name: "One" }))), id);
});

test("what is no envelope has no id", () => {
  for (const text of [undefined, "", "{", "null", "3", "{}", '{"id":3}', '{"id":""}']) {
    assert.equal(armIdOf(resource(text)), undefined, text);
  }
});
