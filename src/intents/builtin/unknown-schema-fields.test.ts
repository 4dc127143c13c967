import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { messageOf } from "./catalogue.ts";
import { unknownSchemaFields } from "./unknown-schema-fields.ts";

function unknownIn(openAPIV3Schema: JsonObject): readonly string[] {
  const message = messageOf("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  assert.ok(message !== undefined);
  const versions = [{ name: "v1", other: 1, schema: { openAPIV3Schema } }];
  return unknownSchemaFields(message, { spec: { versions } });
}

test("unknown keywords of a schema are found at every depth, and nothing else is", () => {
  const at = "spec.versions[0].schema.openAPIV3Schema";
  const schema = {
    type: "object",
    nonsense: true,
    properties: {
      nonsense: { type: "string", "x-setpoint-field-rule": "secret" },
      list: { type: "array", items: { "x-setpoint-field-rul": "secret" } },
      map: { additionalProperties: { typo: {} }, default: { typo: 1 }, enum: [{ typo: 1 }] },
      any: { anyOf: [{ required: ["a"] }, { typo: 1 }] },
      open: { additionalProperties: true, "x-kubernetes-validations": [{ rule: "true" }] },
    },
  };
  assert.deepEqual(unknownIn(schema), [
    `${at}.nonsense`,
    `${at}.properties.list.items.x-setpoint-field-rul`,
    `${at}.properties.map.additionalProperties.typo`,
    `${at}.properties.any.anyOf[1].typo`,
  ]);
});
