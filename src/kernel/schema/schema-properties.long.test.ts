// Claims about all schemas and all documents at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson, anyObject } from "../arbitraries.ts";
import { equalJson } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "./compile.ts";
import { applyDefaults } from "./defaults.ts";
import { listTypeProblems } from "./list-types.ts";
import { prune } from "./prune.ts";
import { validateValue } from "./validate.ts";
import { fieldMessage } from "../field-error-text.ts";

const name = fc.constantFrom("a", "b", "c", "__proto__", "toString", "metadata");

const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc
    .tuple(
      fc.record<Record<string, Json>>(
        {
          type: fc.constantFrom("object", "array", "string", "integer", "number", "boolean", "?"),
          nullable: fc.boolean(),
          default: anyJson,
          enum: fc.array(anyJson, { maxLength: 2 }),
          pattern: fc.constantFrom("^a", "(", "[a-z]+"),
          format: fc.constantFrom("date", "date-time", "uri", "email", "cidr", "duration", "int32"),
          minimum: fc.integer({ min: -2, max: 2 }),
          maximum: fc.double({ noNaN: true, noDefaultInfinity: true }),
          multipleOf: fc.constantFrom(-1, 0, 0.1, 2),
          minLength: fc.nat(3),
          maxLength: fc.nat(3),
          maxItems: fc.nat(2),
          uniqueItems: fc.boolean(),
          maxProperties: fc.nat(2),
          required: fc.array(name, { maxLength: 2 }),
          "x-kubernetes-preserve-unknown-fields": fc.boolean(),
          "x-kubernetes-embedded-resource": fc.boolean(),
          "x-kubernetes-int-or-string": fc.boolean(),
          "x-kubernetes-list-type": fc.constantFrom("atomic", "set", "map"),
          "x-kubernetes-list-map-keys": fc.array(name, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      fc.option(fc.array(fc.tuple(name, tie("schema")), { maxLength: 4 }), { maxDepth: 3 }),
      fc.option(tie("schema"), { maxDepth: 3 }),
      fc.constantFrom("items", "additionalProperties", "not", "allOf", "anyOf", "oneOf"),
    )
    .map(([plain, properties, inner, place]): JsonObject => {
      const isList = place.endsWith("Of");
      const whole: Record<string, Json> = Object.assign({}, plain);
      if (properties !== null) whole["properties"] = Object.fromEntries(properties);
      if (inner !== null) whole[place] = isList ? [inner, {}] : inner;
      return whole;
    }),
}));

const root = { isRoot: true };

test("pruning twice prunes nothing more", () => {
  fc.assert(
    fc.property(anySchema, anyObject, (json, value) => {
      const schema = compileSchema(json);
      const once = prune(schema, value, root);
      const twice = prune(schema, once.value, root);
      assert.equal(twice.value, once.value);
      assert.deepEqual(twice.unknown, []);
    }),
  );
});

test("defaulting twice adds nothing more", () => {
  fc.assert(
    fc.property(anySchema, anyObject, (json, value) => {
      const schema = compileSchema(json);
      // The first pass may add nulls inside of defaults, which the second removes.
      const once = applyDefaults(schema, applyDefaults(schema, value));
      assert.ok(equalJson(applyDefaults(schema, once), once));
    }),
  );
});

test("no schema and no document make validation throw", () => {
  fc.assert(
    fc.property(anySchema, anyObject, fc.option(anyObject), (json, given, old) => {
      const schema = compileSchema(json);
      const value = applyDefaults(schema, prune(schema, given, root).value);
      const options = { old: old ?? undefined };
      for (const error of validateValue(schema, value, "", options)) assert.ok(fieldMessage(error));
      listTypeProblems(schema, value, "", options);
    }),
  );
});

test("an unchanged document is forgiven everything that its schema knows", () => {
  fc.assert(
    fc.property(anySchema, anyObject, (json, given) => {
      const schema = compileSchema({ ...json, "x-kubernetes-preserve-unknown-fields": false });
      const value = prune(schema, given, { isRoot: false }).value;
      const all = validateValue(schema, value).length;
      assert.ok(validateValue(schema, value, "", { old: value }).length <= all);
    }),
  );
});
