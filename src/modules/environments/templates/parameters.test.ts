import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { formatFieldErrors } from "../../../kernel/field-error-text.ts";
import { atOnce } from "../../../kernel/sliced.ts";
import { checkParameters, declarationErrors } from "./parameters.ts";

const declared: JsonObject = {
  size: { type: "integer", default: 1, minimum: 1 },
  region: { type: "string", required: true, enum: ["eu", "us"] },
  token: { type: "string", secret: true, required: true },
  zones: { type: "array", items: { type: "string" } },
};

function checked(
  plain: JsonObject,
  secret: JsonObject = { token: "t" },
): { readonly plain: JsonObject; readonly errors: readonly string[] } {
  const result = atOnce(checkParameters(declared, { plain, secret }, "spec"));
  const errors = result.errors.map(({ path, detail }) => `${path}: ${detail}`);
  return { plain: result.plain, errors };
}

test("a default fills an absent parameter, and a stated value overrides it", () => {
  assert.deepEqual(checked({ region: "eu" }).plain, { size: 1, region: "eu" });
  assert.deepEqual(checked({ region: "eu", size: 5 }).plain, { size: 5, region: "eu" });
  assert.deepEqual(checked({ region: "eu" }).errors, []);
});

test("a missing required parameter is named by its field", () => {
  assert.deepEqual(checked({}, {}).errors, [
    "spec.parameters.region: the template requires this parameter",
    "spec.secretParameters.token: the template requires this parameter",
  ]);
});

test("a value of the wrong type is named by its field", () => {
  const { errors } = checked({ region: "eu", size: "many", zones: ["a", 3] });
  assert.deepEqual(
    errors.map((text) => text.split(":")[0]),
    ["spec.parameters.size", "spec.parameters.zones[1]"],
  );
  assert.equal(checked({ region: "mars" }).errors.length, 1);
  assert.equal(checked({ region: "eu", size: 0 }).errors.length, 1);
});

test("an unknown parameter is refused with the nearest name", () => {
  assert.deepEqual(checked({ region: "eu", siz: 3 }).errors, [
    "spec.parameters.siz: no template has the parameter siz; did you mean size?",
  ]);
});

test("a secret parameter must be in secretParameters, and others must not", () => {
  assert.deepEqual(checked({ region: "eu", token: "x" }).errors, [
    "spec.parameters.token: the parameter is secret: state it in secretParameters",
  ]);
  assert.deepEqual(checked({ region: "eu" }, { token: "t", size: 2 }).errors, [
    "spec.secretParameters.size: the parameter is not secret: state it in parameters",
  ]);
});

test("a declaration with a wrong default, pattern or name is refused", () => {
  const paths = (of: JsonObject): readonly string[] =>
    atOnce(declarationErrors(of, "spec.parameters")).map(({ path }) => path);
  assert.deepEqual(paths({ a: { type: "integer", default: "x" } }), ["spec.parameters.a.default"]);
  assert.deepEqual(paths({ a: { type: "string", pattern: "(" } }), ["spec.parameters.a.pattern"]);
  assert.deepEqual(paths({ "a-b": { type: "string" } }), ["spec.parameters.a-b"]);
  assert.deepEqual(paths({ a: { type: "string", secret: true, default: "x" } }), [
    "spec.parameters.a.default",
  ]);
  assert.deepEqual(paths(declared), []);
});

test("an error of a secret parameter does not quote its value", () => {
  for (const rule of [
    { type: "string", pattern: "^x" },
    { type: "string", enum: ["a"] },
    { type: "object", properties: { a: { type: "string", pattern: "^x" } } },
  ]) {
    const value = rule.type === "object" ? { a: "hunter2" } : "hunter2";
    const given = { plain: {}, secret: { token: value } };
    const { errors } = atOnce(checkParameters({ token: { ...rule, secret: true } }, given, "spec"));
    assert.equal(errors.length, 1);
    assert.match(formatFieldErrors(errors), /spec\.secretParameters/);
    assert.doesNotMatch(JSON.stringify(errors) + formatFieldErrors(errors), /hunter2/);
  }
});
