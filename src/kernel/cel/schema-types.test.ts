// How schemas become types: names that can be written, what is hidden, and what resources show.

import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../json.ts";
import { compileSchema } from "../schema/compile.ts";
import { compileExpression } from "./environment.ts";
import { escapeName } from "./escape.ts";
import { normalizeFieldPath } from "./field-path.ts";
import { celTypeOf, schemaType } from "./schema-types.ts";
import { formatType } from "./types.ts";

function typeOf(schema: JsonObject, expression = "self", isRoot = false): string {
  const celSchema = schemaType(compileSchema(schema), isRoot);
  if (celSchema === undefined) return "hidden";
  const variables = { self: celTypeOf(celSchema, "selfType") };
  const compiled = compileExpression(expression, { variables });
  return compiled.kind === "compiled" ? formatType(compiled.program.type) : compiled.message;
}

test("formats and extensions decide the type of a scalar", () => {
  const types = [
    [{ type: "string" }, "string"],
    [{ type: "string", format: "byte" }, "bytes"],
    [{ type: "string", format: "date" }, "timestamp"],
    [{ type: "string", format: "date-time" }, "timestamp"],
    [{ type: "string", format: "duration" }, "duration"],
    [{ type: "string", format: "uuid" }, "string"],
    [{ type: "integer", format: "int64" }, "int"],
    [{ type: "number" }, "double"],
    [{ type: "boolean" }, "bool"],
    [{ "x-kubernetes-int-or-string": true }, "dyn"],
    [{ "x-kubernetes-preserve-unknown-fields": true }, "hidden"],
    [{ type: "array", items: { type: "string", nullable: true } }, "list(string)"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "map(string, int)"],
    [{ type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } }, "hidden"],
    [{ type: "array", items: { type: "object" } }, "list(selfType.@idx)"],
  ] as const;
  for (const [schema, expected] of types) assert.equal(typeOf(schema), expected);
});

test("names with other characters are escaped, and some cannot be written", () => {
  const names = [
    ["name", "name"],
    ["namespace", "__namespace__"],
    ["in", "__in__"],
    ["a-b", "a__dash__b"],
    ["a.b/c", "a__dot__b__slash__c"],
    ["a__b", "a__underscores__b"],
    ["a_b", "a_b"],
    ["1a", undefined],
    ["a$b", undefined],
    ["ü", undefined],
    ["", undefined],
  ] as const;
  for (const [name, expected] of names) assert.equal(escapeName(name), expected);
});

test("roots and embedded resources show their type and their name only", () => {
  const metadata = { type: "object", properties: { labels: { type: "object" } } };
  const root = { type: "object", properties: { metadata } };
  assert.equal(typeOf(root, "self.metadata.name + self.kind + self.apiVersion", true), "string");
  assert.match(typeOf(root, "self.metadata.labels", true), /undefined field 'labels'/);
  const embedded = { type: "object", "x-kubernetes-embedded-resource": true };
  const holder = { type: "object", properties: { e: embedded } };
  assert.equal(typeOf(holder, "self.e.metadata.generateName"), "string");
  assert.match(typeOf(holder, "self.kind"), /undefined field 'kind'/);
});

test("field paths lead along the schema", () => {
  const schema = compileSchema({
    type: "object",
    properties: {
      a: { type: "object", properties: { "b.c": { type: "string" } } },
      m: { type: "object", additionalProperties: { type: "string" } },
    },
  });
  const paths = [
    [".a", "a"],
    [".a['b.c']", "a.b.c"],
    [".m['x']", "m[x]"],
    [".m.x", "m[x]"],
    [".m['it\\'s']", "m[it's]"],
    [".z", undefined],
    ["a", undefined],
    [".a[0]", undefined],
    [".a['b.c'].d", undefined],
  ] as const;
  for (const [path, expected] of paths) assert.equal(normalizeFieldPath(path, schema), expected);
});
