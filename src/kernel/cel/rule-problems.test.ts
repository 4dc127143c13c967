// What is told to who writes rules: errors of compilation, uses of the old value where there is
// none, and rules that could cost too much. Expected errors were taken from kube-apiserver.

import assert from "node:assert/strict";
import test from "node:test";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "../schema/compile.ts";
import { ruleProblems } from "./rule-problems.ts";
import { fieldErrorText } from "../field-error-text.ts";

const rulesKey = "x-kubernetes-validations";

function problems(given: JsonObject): readonly string[] {
  const schema = compileSchema({ type: "object", properties: { spec: given } });
  return ruleProblems(schema, "schema").map(fieldErrorText);
}

function spec(rule: Json, properties: JsonObject = {}): JsonObject {
  const fields = { a: { type: "integer" }, l: { type: "array", items: { type: "string" } } };
  return { type: "object", properties: { ...fields, ...properties }, [rulesKey]: [rule] };
}

const at = "schema.properties[spec].x-kubernetes-validations[0]";
const advice =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, " +
  "maps, and strings are declared)";

/** The rule as errors show it. */
function shown(rule: string, messageExpression = ""): string {
  const escaped = JSON.stringify(rule).replaceAll(">", "\\u003e");
  return (
    `{"Rule":${escaped},"Message":"","MessageExpression":"${messageExpression}",` +
    '"Reason":null,"FieldPath":"","OptionalOldSelf":null}'
  );
}

test("a rule that does not compile is shown with the place", () => {
  assert.deepEqual(problems(spec({ rule: "self.x > 1" })), [
    `${at}.rule: Invalid value: ${shown("self.x > 1")}: compilation failed: ` +
      "ERROR: <input>:1:5: undefined field 'x'\n | self.x > 1\n | ....^",
  ]);
});

test("a rule must be true or false, and its message a text", () => {
  assert.deepEqual(problems(spec({ rule: "self.a" })), [
    `${at}.rule: Invalid value: ${shown("self.a")}: cel expression must evaluate to a bool`,
  ]);
  assert.deepEqual(problems(spec({ rule: "self.a > 0", messageExpression: "1" })), [
    `${at}.messageExpression: Invalid value: ${shown("self.a > 0", "1")}: ` +
      "messageExpression must evaluate to a string",
  ]);
});

test("a constant that cannot be converted is refused", () => {
  assert.deepEqual(problems(spec({ rule: "int('a') == 1" })), [
    `${at}.rule: Invalid value: ${shown("int('a') == 1")}: program instantiation failed: ` +
      "type conversion error from 'string' to 'int'",
  ]);
});

test("rules see declared fields only, by names that can be written", () => {
  const properties = { "a-b": { type: "integer" }, namespace: { type: "string" } };
  assert.deepEqual(
    problems(
      spec({ rule: "self.a__dash__b > 1 && self.__namespace__ == self.namespace" }, properties),
    ),
    [],
  );
  const unknown = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  assert.equal(problems({ ...unknown, [rulesKey]: [{ rule: "self.a == 1" }] }).length, 1);
});

test("the old value is refused where items cannot be told apart", () => {
  const item = { type: "string", maxLength: 10, [rulesKey]: [{ rule: "self == oldSelf" }] };
  assert.deepEqual(problems({ type: "array", maxItems: 10, items: item }), [
    "schema.properties[spec].items.x-kubernetes-validations[0].rule: Invalid value: " +
      '"self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema ' +
      "within schema.properties[spec]",
  ]);
});

test("an optional old value that is not used is refused", () => {
  assert.deepEqual(problems(spec({ rule: "self.a > 0", optionalOldSelf: true })), [
    `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ]);
});

test("a rule that could cost too much is refused, with the factor", () => {
  const rule = "self.all(x, self.exists_one(y, x == y))";
  const items = { type: "string", maxLength: 2_000 };
  assert.deepEqual(problems({ type: "array", maxItems: 200, items, [rulesKey]: [{ rule }] }), [
    `${at}.rule: Forbidden: estimated rule cost exceeds budget by factor of 3.2x ${advice}`,
  ]);
});

test("nested loops without bounds are refused, as is the whole schema", () => {
  assert.deepEqual(problems(spec({ rule: "self.l.all(x, self.l.all(y, x == y))" })), [
    `${at}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ` +
      advice,
    `${at}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for ` +
      "entire OpenAPIv3 schema",
    "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 " +
      `schema exceeds budget by factor of more than 100x ${advice}`,
  ]);
});

test("bounds of lists, maps and texts make rules cheap enough", () => {
  const text = { type: "string", maxLength: 10, [rulesKey]: [{ rule: "self.contains('abc')" }] };
  const list = { type: "array", maxItems: 10, items: text };
  assert.deepEqual(problems({ type: "object", maxProperties: 10, additionalProperties: list }), []);
});
