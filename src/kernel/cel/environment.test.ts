// What callers can bring to expressions: variables with or without types, documents without a
// schema, and functions with types of their own.

import assert from "node:assert/strict";
import test from "node:test";
import type { Json } from "../json.ts";
import { compileExpression } from "./environment.ts";
import type { CompileOptions, Evaluation } from "./environment.ts";
import { fixed } from "./costs.ts";
import { declare, member } from "./functions.ts";
import { dynamicValue } from "./schema-values.ts";
import { showValue } from "./show-value.ts";
import { boolType, closedStructType, dynType, intType, listType, stringType } from "./types.ts";
import type { CelValue } from "./values.ts";
import { list, opaqueValues, textOf } from "./values.ts";

function run(
  source: string,
  options: CompileOptions,
  bindings: Readonly<Record<string, CelValue>> = {},
): Evaluation {
  const compiled = compileExpression(source, options);
  assert.ok(compiled.kind === "compiled", compiled.kind === "failed" ? compiled.message : "");
  return compiled.program.evaluate(bindings, 1_000_000);
}

test("a variable is checked by its type", () => {
  const variables = { names: listType(stringType) };
  const names = list(["a", "b"]);
  const result = run("names.all(n, n.size() == 1)", { variables }, { names });
  assert.deepEqual(result, { kind: "value", value: true, cost: 14 });
  const wrong = compileExpression("names.all(n, n > 1)", { variables });
  assert.equal(wrong.kind, "failed");
});

test("the result must have the expected type", () => {
  const compiled = compileExpression("1 + 1", {
    variables: {},
    expects: boolType,
    expectation: "must evaluate to bool",
  });
  assert.deepEqual(compiled, { kind: "failed", message: "must evaluate to bool" });
});

test("a variable that is not bound is an error when it is used", () => {
  const result = run("x == 1 || true", { variables: { x: intType } });
  assert.equal(result.kind === "value" && result.value, true);
  assert.equal(
    run("x == 1", { variables: { x: intType } }).kind === "error" && "no such attribute(s): x",
    "no such attribute(s): x",
  );
});

test("documents without a schema are dynamic, and hold nothing that was not put there", () => {
  const variables = { object: dynType };
  const json: Json = JSON.parse('{"spec":{"n":3,"f":1.5,"__proto__":1},"l":[1,null,"a"]}') as Json;
  const object = dynamicValue(json);
  const outcomes = [
    ["object.spec.n + 1", "4"],
    ["object.spec.f + 1.0", "double(2.5)"],
    ["object.l[1] == null", "true"],
    ["has(object.spec.constructor)", "false"],
    ["has(object.spec.__proto__)", "true"],
    ["object.spec.map(k, k).size()", "3"],
    ["dyn(object).?nope.orValue(5)", "5"],
  ] as const;
  for (const [source, expected] of outcomes) {
    const result = run(source, { variables }, { object });
    assert.equal(result.kind === "value" ? showValue(result.value) : result.message, expected);
  }
});

test("callers bring functions, their types and their costs", () => {
  interface Check {
    readonly resource: string;
  }
  const authorizerType = closedStructType("example.Authorizer");
  const checkType = closedStructType("example.Check");
  const authorizers = opaqueValues<string>(authorizerType, (a, b) => a === b);
  const checks = opaqueValues<Check>(checkType, (a, b) => a.resource === b.resource);
  const functions = [
    declare("resource", [
      member("authorizer_resource", [authorizerType, stringType], checkType, (_, resource) =>
        checks.wrap({ resource: textOf(resource) }),
      ),
    ]),
    declare(
      "check",
      [
        member(
          "check_verb",
          [checkType, stringType],
          boolType,
          (check, verb) => checks.unwrap(check).resource === "pods" && verb === "get",
        ),
      ],
      fixed(350_000),
    ),
  ];
  const options = { variables: { authorizer: authorizerType }, functions };
  const bindings = { authorizer: authorizers.wrap("someone") };
  const allowed = run("authorizer.resource('pods').check('get')", options, bindings);
  assert.deepEqual(allowed, { kind: "value", value: true, cost: 350_002 });
  const often = "[1,2,3].all(x, authorizer.resource('pods').check('get'))";
  assert.equal(run(often, options, bindings).kind, "budget");
  assert.equal(compileExpression("authorizer.check('get')", options).kind, "failed");
});

test("cel.bind is there only for who asks for it", () => {
  const source = "cel.bind(x, 1 + 1, x * x)";
  assert.equal(compileExpression(source, { variables: {} }).kind, "failed");
  const result = run(source, { variables: {}, allowsBind: true });
  assert.equal(result.kind === "value" && result.value, 4);
});

test("what is bound is computed once, and only when it is used", () => {
  const unused = run("cel.bind(x, 1 / 0, 5)", { variables: {}, allowsBind: true });
  assert.equal(unused.kind === "value" && unused.value, 5);
});

test("macros that double what they are called on stay within bounds", () => {
  const source = `optional.of(1)${".optMap(x, x)".repeat(60)}`;
  assert.deepEqual(compileExpression(source, { variables: {} }), {
    kind: "failed",
    message: "compilation failed: ERROR: <input>:-1:0: expression is too large",
  });
});

test("lists that double again and again stay within bounds", () => {
  const doubled = Array.from({ length: 40 }).reduce<string>(
    (source) => `cel.bind(x, ${source}, x + x)`,
    "[1, 2]",
  );
  const result = run(`${doubled}.size()`, { variables: {}, allowsBind: true });
  assert.deepEqual(result.kind === "error" && result.message, "list is too long");
});

test("texts that grow stay within bounds", () => {
  const text = "x".repeat(100_000);
  const variables = { text: stringType };
  const result = run("text.replace('', text)", { variables }, { text });
  assert.deepEqual(result.kind === "error" && result.message, "string is too long");
});

test("comparing deep values again and again ends", () => {
  const deep = dynamicValue([Array.from({ length: 10_000 }, (_, i) => i)]);
  const range = list(Array.from({ length: 10_000 }, (_, i) => i));
  const variables = { deep: dynType, other: dynType, range: listType(intType) };
  const bindings = {
    deep,
    other: dynamicValue([Array.from({ length: 10_000 }, (_, i) => i)]),
    range,
  };
  assert.equal(run("range.all(x, deep == other)", { variables }, bindings).kind, "budget");
});
