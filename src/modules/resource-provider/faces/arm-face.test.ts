import assert from "node:assert/strict";
import { test } from "node:test";
import { ArmActionRefused, armIdOf, envelopeAnnotation } from "./arm-face.ts";
import type { Resource } from "../../../kernel/resource.ts";

function resource(envelope?: string): Resource {
  const annotations = envelope === undefined ? {} : { [envelopeAnnotation]: envelope };
  const own = { name: "a", namespace: "sub-s", uid: "u", generation: 1, creationTimestamp: "" };
  return { apiVersion: "a/v1", kind: "A", metadata: { ...own, annotations } };
}

test("the id of a resource is the one that its clients know", () => {
  const id = "/subscriptions/s/resourceGroups/g/providers/Example.Shop/shops/One";
  assert.equal(armIdOf(resource(JSON.stringify({ id, name: "One" }))), id);
  const upper = id.replace("/s/", "/S/");
  assert.equal(armIdOf(resource(JSON.stringify({ id: upper, name: "One" }))), upper);
});

test("what is no envelope has no id", () => {
  for (const text of [undefined, "", "{", "null", "3", "{}", '{"id":3}', '{"id":""}']) {
    assert.equal(armIdOf(resource(text)), undefined, text);
  }
});

test("a refusal has a status of one and a code of one word", () => {
  for (const status of [0, 99, 200, 302, 399, 600, 404.5, Number.NaN]) {
    assert.throws(() => new ArmActionRefused("Odd", "x", status), RangeError, String(status));
  }
  for (const code of ["", "two words", "a\r\nb", "1st", "x".repeat(101)]) {
    assert.throws(() => new ArmActionRefused(code, "x"), TypeError, code);
  }
  const { code, status } = new ArmActionRefused("Cluster.NotReady_2", "x");
  assert.deepEqual([code, status], ["Cluster.NotReady_2", 409]);
  assert.equal(new ArmActionRefused("Odd", "x", 599).status, 599);
});

test("an id of another subscription is not that of the resource", () => {
  for (const id of ["/subscriptions/t/x", "/subscriptions", "/s", "s"]) {
    assert.equal(armIdOf(resource(JSON.stringify({ id, name: "x" }))), undefined, id);
  }
});
