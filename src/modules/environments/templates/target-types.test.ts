import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { defineKind } from "../../../kernel/kind.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { compileSpec } from "./compile.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["host"],
      properties: {
        host: { type: "string", maxLength: 5 },
        size: { type: "integer", minimum: 1 },
        isPublic: { type: "boolean" },
        port: { "x-kubernetes-int-or-string": true },
        tier: { type: "string", enum: ["small", "large"] },
        users: {
          type: "array",
          items: { type: "object", properties: { name: { type: "string" } } },
        },
        labels: { type: "object", additionalProperties: { type: "string" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};

const kind = defineKind({
  group: "example.dev",
  names: { plural: "databases", kind: "Database" },
  scope: "Namespaced",
  versions: [{ name: "v1", served: true, storage: true, schema }],
});

const found = { kind, schema: compileSchema(schema) };

const parameters = {
  size: { type: "integer" },
  ratio: { type: "number" },
  text: { type: "string" },
  many: { type: "array" },
};

function errorsOf(spec: Json, more: JsonObject = {}): string {
  const template = { apiVersion: "example.dev/v1", kind: "Database", spec };
  const resources = [
    { key: "other", template: { ...template, spec: {} } },
    { key: "db", template },
  ];
  const { errors } = compileSpec({ parameters, resources, ...more }, () => found);
  return errors.map(({ path, detail }) => `${path}: ${detail}`).join("\n");
}

test("values and expressions of the type of their field are accepted", () => {
  const spec = {
    host: "a-${parameters.size}",
    size: "${parameters.size}",
    isPublic: "${parameters.size > 2}",
    port: "${parameters.text}",
    tier: "${parameters.text}",
    users: [{ name: "${parameters.text}" }, "${resources.other.outputs.user}"],
    labels: { any: "$${text}" },
    free: { any: { thing: 1 }, size: "${parameters.size}" },
  };
  assert.equal(errorsOf(spec), "");
  assert.equal(errorsOf({ size: "${parameters.ratio}", users: "${parameters.many}" }), "");
  assert.equal(errorsOf({ size: "${parameters[string(parameters.size)]}" }), "");
  assert.equal(errorsOf({ users: "${parameters.many.map(each, {'name': each})}" }), "");
});

for (const [what, spec, message] of [
  [
    "an unknown field",
    { sizes: 1 },
    /spec\.sizes: Database has no such field; did you mean size\?/,
  ],
  ["a field in a list", { users: [{ nam: "a" }] }, /spec\.users\[0\]\.nam: .*did you mean name/],
  ["a text for a number", { size: "ten" }, /template\.spec\.size: .*integer/],
  ["a number for a text", { labels: { a: 1 } }, /template\.spec\.labels\.a: .*string/],
  ["an object for a list", { users: {} }, /spec\.users: must be of type array/],
  ["a value beyond its bound", { size: 0 }, /spec\.size: .*greater than or equal to 1/],
  ["a value of no enum", { tier: "medium" }, /spec\.tier: /],
  ["a long text", { host: "abcdefg" }, /spec\.host: .*5/],
  [
    "an expression of another type",
    { size: "${parameters.text}" },
    /spec\.size: it is of type string, and must be of type integer/,
  ],
  ["a text with expressions", { size: "1${parameters.size}" }, /spec\.size: it is of type string/],
  ["a condition for a text", { host: "${index > 0}" }, /spec\.host: it is of type boolean/],
  ["a name for a number", { size: "${environment.name}" }, /spec\.size: it is of type string/],
  ["a list for an int or text", { port: "${parameters.many}" }, /spec\.port: .*integer or string/],
] as const) {
  test(`${what} is refused with its field`, () => {
    assert.match(errorsOf(spec), message);
    assert.match(errorsOf(spec), /^spec\.resources\[1\]\.template\.spec\./);
  });
}

test("the document of an action is checked as well", () => {
  const template = {
    apiVersion: "example.dev/v1",
    kind: "Database",
    spec: { size: "${action.name}x" },
  };
  const errors = errorsOf({}, { actions: [{ name: "backup", template }] });
  assert.match(errors, /^spec\.actions\[0\]\.template\.spec\.size: it is of type string/);
});

test("a count does not read a secret", () => {
  const secrets = { ...parameters, token: { type: "string", secret: true } };
  const template = { apiVersion: "example.dev/v1", kind: "Database" };
  const resources = [{ key: "db", count: "${size(parameters.token)}", template }];
  const { errors } = compileSpec({ parameters: secrets, resources }, () => found);
  assert.match(
    `${errors[0]?.path}: ${errors[0]?.detail}`,
    /^spec\.resources\[0\]\.count: .*parameters\.token/,
  );
});

for (const [count, message] of [
  ["${parameters.text}", /^spec\.resources\[0\]\.count: it is of type string, .* integer$/],
  ["1${parameters.size}", /^spec\.resources\[0\]\.count: it is of type string/],
  ["${parameters.size > 1}", /^spec\.resources\[0\]\.count: it is of type boolean/],
  ["${parameters.size * 2}", /^$/],
  ["${size(parameters.many)}", /^$/],
  ["3", /^$/],
] as const) {
  test(`the type of the count ${count} is checked when the Template is written`, () => {
    const template = { apiVersion: "example.dev/v1", kind: "Database" };
    const { errors } = compileSpec(
      { parameters, resources: [{ key: "db", count, template }] },
      () => found,
    );
    assert.match(errors.map(({ path, detail }) => `${path}: ${detail}`).join("\n"), message);
  });
}
