import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "./compile.ts";
import { listTypeProblems } from "./list-types.ts";
import { fieldErrorText } from "../field-error-text.ts";

const ports = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["port"],
  items: { type: "object", properties: { port: { type: "integer" } } },
};
const tags = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };

function problems(properties: JsonObject, value: JsonObject, old?: Json): readonly string[] {
  const schema = compileSchema({ type: "object", properties });
  return listTypeProblems(schema, value, "", { old }).map(fieldErrorText);
}

test("the second of equal items is a duplicate, and only it", () => {
  assert.deepEqual(problems({ tags }, { tags: ["a", "b", "a", "a", "b"] }), [
    'tags[2]: Duplicate value: "a"',
    'tags[4]: Duplicate value: "b"',
  ]);
});

test("items of map lists are told apart by their keys", () => {
  const value = { ports: [{ port: 80, a: 1 }, { port: 80, a: 2 }, {}, {}] };
  assert.deepEqual(problems({ ports }, value), [
    'ports[1]: Duplicate value: {"port":80}',
    "ports[3]: Duplicate value: {}",
  ]);
  assert.deepEqual(problems({ ports }, { ports: [1, 2] }), [
    "ports[0]: Invalid value: 1: must be an object for an array of list-type map",
  ]);
});

test("duplicates that were there before are forgiven", () => {
  const wrong = { tags: ["a", "a"] };
  assert.deepEqual(problems({ tags }, wrong, wrong), []);
  assert.equal(problems({ tags }, wrong, { tags: ["a"] }).length, 1);
});
