import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../json.ts";
import { structuralProblems } from "./structural-problems.ts";
import { fieldErrorText } from "../field-error-text.ts";

const text = { type: "string" };

function problems(json: JsonObject, hasStatus = false): readonly string[] {
  return structuralProblems(json, "schema", { hasStatus }).map(fieldErrorText);
}

/** Of a schema with one field, without the path in front of it. */
function ofField(field: JsonObject): readonly string[] {
  const all = problems({ type: "object", properties: { x: field } });
  return all.map((problem) => problem.replaceAll("schema.properties[x]", ""));
}

test("every specified field has a type", () => {
  assert.deepEqual(problems({}), ["schema.type: Required value: must not be empty at the root"]);
  assert.deepEqual(ofField({}), [
    ".type: Required value: must not be empty for specified object fields",
  ]);
  assert.deepEqual(ofField({ type: "array", items: {} }), [
    ".items.type: Required value: must not be empty for specified array items",
  ]);
  assert.deepEqual(ofField({ type: "array" }), [".items: Required value: must be specified"]);
  assert.deepEqual(ofField({ type: "date" }), [
    '.type: Unsupported value: "date": supported values: "array", "boolean", "integer", ' +
      '"number", "object", "string"',
  ]);
});

test("junctors validate values and nothing else", () => {
  assert.deepEqual(ofField({ ...text, anyOf: [{ type: "string", default: "" }] }), [
    ".anyOf[0].default: Forbidden: must be undefined to be structural",
    ".anyOf[0].type: Forbidden: must be empty to be structural",
  ]);
  assert.deepEqual(problems({ type: "object", not: { properties: { y: {} } } }), [
    "schema.properties[y]: Required value: because it is defined in schema.not.properties[y]",
  ]);
  const pair = [{ type: "integer" }, { type: "string" }];
  assert.deepEqual(ofField({ "x-kubernetes-int-or-string": true, anyOf: pair }), []);
  assert.deepEqual(ofField({ "x-kubernetes-int-or-string": true, allOf: [{ anyOf: pair }] }), []);
});

test("metadata of the root stays what it is", () => {
  const metadata = (properties: JsonObject) =>
    problems({ type: "object", properties: { metadata: { type: "object", properties } } });
  assert.deepEqual(metadata({ name: text }), []);
  assert.deepEqual(metadata({ labels: text }), [
    "schema.properties[metadata]: Forbidden: must not specify anything other than name and " +
      "generateName, but metadata is implicitly specified",
  ]);
});

test("keywords of other dialects are refused, and nothing is said of the structure then", () => {
  assert.deepEqual(ofField({ $ref: "#/x" }), [".$ref: Forbidden: $ref is not supported"]);
  assert.deepEqual(ofField({ ...text, $schema: "x" }), [
    "schema: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported",
  ]);
  assert.deepEqual(ofField({ ...text, uniqueItems: true }), [
    ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
      "becomes quadratic",
  ]);
  assert.deepEqual(
    ofField({ type: "object", properties: { a: text }, additionalProperties: text }),
    [".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  );
  assert.deepEqual(ofField({ ...text, pattern: "(" }), [
    '.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: ' +
      "error parsing regexp: missing closing ): `(`",
  ]);
});

test("map lists have keys that are always there", () => {
  const list = (properties: JsonObject, keys: readonly string[], required: readonly string[]) =>
    ofField({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": keys,
      items: { type: "object", properties, required },
    });
  assert.deepEqual(list({ a: text }, ["a"], ["a"]), []);
  assert.deepEqual(list({ a: { ...text, default: "" } }, ["a"], []), []);
  assert.deepEqual(list({ a: text }, ["a"], []), [
    ".items.properties[a].default: Required value: this property is in " +
      "x-kubernetes-list-map-keys, so it must have a default or be a required property",
  ]);
  assert.deepEqual(list({ a: text }, ["b"], []), [
    '.x-kubernetes-list-map-keys: Invalid value: ["b"]: entries must all be names of item ' +
      "properties",
  ]);
});

test("defaults are valid, pruned, and not of the root's own fields", () => {
  assert.deepEqual(ofField({ type: "integer", default: "x" }), [
    '.default: Invalid value: "string":  in body must be of type integer: "string"',
  ]);
  assert.deepEqual(ofField({ type: "object", default: { y: 1 } }), [
    '.default: Invalid value: {"y":1}: must not have unknown fields',
  ]);
  assert.deepEqual(
    problems({ type: "object", properties: { kind: { type: "string", default: "A" } } }),
    ["schema.properties[kind].default: Forbidden: must not be set in top-level kind"],
  );
});

test("embedded resources are objects with something in them", () => {
  assert.deepEqual(ofField({ type: "object", "x-kubernetes-embedded-resource": true }), [
    ".properties: Required value: must not be empty if x-kubernetes-embedded-resource is true " +
      "without x-kubernetes-preserve-unknown-fields",
  ]);
});

test("a schema with a status has few keywords at its root", () => {
  assert.deepEqual(problems({ type: "object", properties: {} }, true), []);
  const [problem] = problems({ type: "object", properties: {}, maxProperties: 3 }, true);
  assert.match(problem ?? "", /^schema: Invalid value: .*: only \[Description Type .*\] fields/);
});

test("rules have an expression, and messages on one line", () => {
  const rules = [{ rule: "" }, { rule: "true", message: "a\nb", fieldPath: ".y" }];
  assert.deepEqual(ofField({ ...text, "x-kubernetes-validations": rules }), [
    ".x-kubernetes-validations[0].rule: Required value: rule is not specified",
    '.x-kubernetes-validations[1].message: Invalid value: "a\\nb": message must not contain ' +
      "line breaks",
    '.x-kubernetes-validations[1].fieldPath: Invalid value: ".y": fieldPath must be a valid path',
  ]);
});
