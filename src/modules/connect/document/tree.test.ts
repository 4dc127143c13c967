// Schemas as trees of fields, whatever they are made of.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";
import { madeUp } from "./made-up.ts";
import { placeAt, rootOf } from "./place.ts";
import { nodesBelow, treeOf } from "./tree.ts";
import type { SchemaNode } from "./tree.ts";

async function treeIn(definitions: JsonObject, name: string): Promise<SchemaNode> {
  const documents = await madeUp({ root: { swagger: "2.0", paths: {}, definitions } });
  const place = placeAt(documents, `#/definitions/${name}`, rootOf(documents));
  assert.ok(place);
  return treeOf(documents, { ...place, pointer: "", node: { $ref: `#/definitions/${name}` } });
}

function pointers(tree: SchemaNode): readonly string[] {
  return [...nodesBelow(tree)].map(({ pointer, isCut }) => (isCut ? `${pointer}…` : pointer));
}

test("allOf, oneOf, anyOf and free keys are laid together", async () => {
  const tree = await treeIn(
    {
      Base: { required: ["a"], properties: { a: { type: "string" } } },
      Thing: {
        allOf: [{ $ref: "#/definitions/Base" }, { properties: { b: { type: "integer" } } }],
        oneOf: [{ required: ["c"], properties: { c: { type: "string" } } }],
        properties: {
          list: { type: "array", items: { properties: { d: {} } } },
          map: { type: "object", additionalProperties: { type: "string" } },
          open: { type: "object", additionalProperties: {} },
          maybe: { anyOf: [{ type: "string" }, { type: "null" }] },
          either: { type: ["string", "integer"] },
        },
      },
    },
    "Thing",
  );
  assert.deepEqual(pointers(tree).toSorted(), [
    "/a",
    "/b",
    "/c",
    "/either",
    "/list",
    "/list/*",
    "/list/*/d",
    "/map",
    "/map/*",
    "/maybe",
    "/open",
  ]);
  assert.deepEqual([...tree.required], ["a"]);
  const at = (name: string): SchemaNode | undefined => tree.properties.get(name);
  assert.equal(at("maybe")?.isNullable, true);
  assert.deepEqual(at("maybe")?.types, ["string"]);
  assert.deepEqual(at("either")?.types, ["string", "integer"]);
  assert.equal(at("open")?.additional, true);
});

test("a schema within itself is cut where it begins anew", async () => {
  const tree = await treeIn(
    {
      Node: {
        properties: {
          value: { type: "string" },
          next: { $ref: "#/definitions/Node" },
          all: { type: "array", items: { $ref: "#/definitions/Node" } },
        },
      },
    },
    "Node",
  );
  assert.deepEqual(pointers(tree), ["/value", "/next…", "/all", "/all/*…"]);
});

test("special cases are found by what they extend, and open enums are open", async () => {
  const tree = await treeIn(
    {
      Pet: {
        discriminator: "kind",
        properties: {
          kind: { type: "string", enum: ["cat"], "x-ms-enum": { modelAsString: true } },
        },
      },
      Cat: {
        "x-ms-discriminator-value": "cat",
        allOf: [{ $ref: "#/definitions/Pet" }],
        required: ["lives"],
        properties: { lives: { type: "integer" } },
      },
      Lion: { allOf: [{ $ref: "#/definitions/Cat" }], properties: { pride: { type: "string" } } },
      Owner: { properties: { pet: { $ref: "#/definitions/Pet" } } },
    },
    "Owner",
  );
  assert.deepEqual(pointers(tree), ["/pet", "/pet/kind", "/pet/lives", "/pet/pride"]);
  const pet = tree.properties.get("pet");
  assert.deepEqual([...(pet?.required ?? [])], []);
  assert.equal(pet?.properties.get("kind")?.isOpenEnum, true);
});

test("the marks of a shared schema and of one use of it both count", async () => {
  const tree = await treeIn(
    {
      Secret: { type: "string", "x-ms-secret": true },
      Thing: {
        properties: {
          key: { $ref: "#/definitions/Secret", "x-ms-mutability": ["Create", "Read"] },
          seen: { $ref: "#/definitions/Plain", readOnly: true },
          plain: { $ref: "#/definitions/Plain" },
        },
      },
      Plain: { type: "string" },
    },
    "Thing",
  );
  const marks = (name: string): object | undefined => tree.properties.get(name)?.marks;
  assert.deepEqual(marks("key"), {
    isReadOnly: false,
    isWriteOnly: false,
    isSecret: true,
    mutability: ["create", "read"],
  });
  assert.deepEqual(marks("seen"), { isReadOnly: true, isWriteOnly: false, isSecret: false });
  assert.deepEqual(marks("plain"), { isReadOnly: false, isWriteOnly: false, isSecret: false });
});

test("a schema that explodes is cut at the bottom, and its upper levels stay", async () => {
  const count = 40;
  const definitions: { [name: string]: Json } = {};
  for (let i = 0; i < count; i += 1) {
    const properties: { [name: string]: Json } = { value: { type: "string" } };
    for (let j = 0; j < count; j += 1) properties[`to${j}`] = { $ref: `#/definitions/T${j}` };
    definitions[`T${i}`] = { properties };
  }
  const tree = await treeIn(definitions, "T0");
  const nodes = [...nodesBelow(tree)];
  assert.ok(nodes.length <= connectLimits.maxFields);
  assert.equal(tree.properties.size, count + 1);
  assert.equal(tree.properties.get("to1")?.properties.size, count + 1);
});

/** Definitions that refer to one another at random, in every way that there is. */
const definitions = fc.integer({ min: 1, max: 8 }).chain((count) => {
  const ref = fc.record({ $ref: fc.nat({ max: count }).map((to) => `#/definitions/D${to}`) });
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      ref,
      fc.record({ type: fc.constantFrom("string", "object", "array") }),
      fc.record({
        properties: fc.dictionary(fc.constantFrom("a", "b", "*", "$ref"), tie("schema")),
      }),
      fc.record({ items: tie("schema") }),
      fc.record({ additionalProperties: tie("schema") }),
      fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }) }),
      fc.record({
        oneOf: fc.array(tie("schema"), { maxLength: 3 }),
        discriminator: fc.constant("a"),
      }),
      fc.record({
        $ref: fc.nat({ max: count }).map((to) => `#/definitions/D${to}`),
        allOf: fc.array(ref, { maxLength: 2 }),
      }),
    ),
  }));
  const entries = Array.from({ length: count }, (_, index) => [`D${index}`, schema] as const);
  return fc.record(Object.fromEntries(entries));
});

test("random schemas that refer to one another in circles have an end", async () => {
  await fc.assert(
    fc.asyncProperty(definitions, async (made) => {
      const tree = await treeIn(made, "D0");
      const nodes = [...nodesBelow(tree)];
      assert.ok(nodes.length <= connectLimits.maxFields + 1);
      assert.equal(new Set(nodes.map(({ pointer }) => pointer)).size <= nodes.length, true);
    }),
    { numRuns: 200 },
  );
});
