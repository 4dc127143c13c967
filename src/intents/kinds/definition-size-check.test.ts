import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../kernel/field-error-text.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { definitionErrors, definitionUpdateErrors } from "./definition-check.ts";

function definition(...schemas: readonly JsonObject[]): JsonObject {
  const versions: Json = schemas.map((spec, index) => ({
    name: `v${index + 1}`,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
  }));
  const names = { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" };
  return {
    metadata: { name: "things.example.dev" },
    spec: { group: "example.dev", scope: "Namespaced", names, versions },
  };
}

function properties(count: number, schema: JsonObject): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, schema])) };
}

const text = { type: "string" };
const plain = properties(3, text);
const rule = { rule: `self.p0 != '${"x".repeat(1_000)}'` };

const tooLarge: Readonly<Record<string, JsonObject>> = {
  "64 versions": definition(
    ...Array.from({ length: limits.maxDefinitionVersions + 1 }, () => plain),
  ),
  "40000 objects in all schemas": definition(properties(limits.maxDefinitionObjects, text)),
  "131072 characters in all rules": definition({
    ...plain,
    "x-kubernetes-validations": Array.from({ length: 130 }, () => rule),
  }),
  "100000 instructions in all patterns": definition(
    properties(101, { type: "string", pattern: "a{1000}" }),
  ),
};

for (const [what, large] of Object.entries(tooLarge)) {
  test(`a definition with more than ${what} is refused for that alone`, () => {
    const messages = definitionErrors(large).map(fieldErrorText);
    assert.equal(messages.length, 1, messages.join("\n").slice(0, 500));
    assert.match(
      messages.join(""),
      new RegExp(`^spec.versions: Forbidden: must have at most ${what}`),
    );
    assert.equal(definitionUpdateErrors(large, definition(plain)).length, 1);
  });
}

test("a definition that is stored with more than the limits can still be changed", () => {
  const large = definition(properties(limits.maxDefinitionObjects, text));
  assert.deepEqual(definitionUpdateErrors(large, large), []);
});
