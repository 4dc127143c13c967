// Laws of CEL on expressions that nobody wrote: nothing throws, whatever the text; what is printed
// parses to the same tree; and what runs stays within its budget.

import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { anyCharacter } from "../arbitraries.ts";
import type { Expression } from "./ast.ts";
import { limits } from "../limits.ts";
import { compileExpression } from "./environment.ts";
import { twoVariableMacros, standardMacros, optionalMacros } from "./macros.ts";
import { parse } from "./parser.ts";
import { print } from "./print.ts";
import { dynamicValue } from "./schema-values.ts";
import { dynType } from "./types.ts";

const name = fc.constantFrom("x", "y", "size", "self");
const text = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.string({ unit: anyCharacter, maxLength: 5 }),
  fc.constantFrom("a", "[a-z]+", "1h", "2020-01-01T00:00:00Z", "10.0.0.0/8", "%s", "1Gi"),
);
const literal = fc.oneof(
  fc.constantFrom("true", "false", "null", "0", "-1", "1u", "1.5", "9223372036854775807", "b'a'"),
  fc.integer().map(String),
  text.map((value) => JSON.stringify(value.toWellFormed())),
);
const functions = (
  "size contains startsWith matches charAt indexOf replace split substring trim join format sum " +
  "max min isSorted flatten sort distinct reverse slice find findAll getHours value hasValue " +
  "orValue or first last lowerAscii foo"
).split(" ");
const globals = (
  "int uint double string bytes bool timestamp duration dyn type size quantity url ip cidr " +
  "semver isURL optional.of lists.range sets.contains optional.ofNonZeroValue foo"
).split(" ");

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      literal,
      name,
      fc
        .tuple(
          inner,
          fc.constantFrom("+", "-", "*", "/", "%", "<", "==", "!=", "&&", "||", "in"),
          inner,
        )
        .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(fc.constantFrom("!", "-"), inner).map(([operator, a]) => `${operator}(${a})`),
      fc.tuple(inner, name).map(([a, field]) => `(${a}).${field}`),
      fc.tuple(inner, name).map(([a, field]) => `(${a}).?${field}`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a})[${b}]`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a})[?${b}]`),
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(fc.tuple(inner, inner), { maxLength: 2 })
        .map((entries) => `{${entries.map(([key, value]) => `${key}: ${value}`).join(", ")}}`),
      fc.tuple(name, inner).map(([field, a]) => `has((${a}).${field})`),
      fc
        .tuple(
          inner,
          fc.constantFrom("all", "exists", "exists_one", "map", "filter", "optMap"),
          inner,
        )
        .map(([a, macro, b]) => `(${a}).${macro}(x, ${b})`),
      fc
        .tuple(inner, fc.constantFrom("all", "transformList", "transformMap"), inner)
        .map(([a, macro, b]) => `(${a}).${macro}(x, y, ${b})`),
      fc
        .tuple(inner, fc.constantFrom(...functions), fc.array(inner, { maxLength: 2 }))
        .map(([a, called, args]) => `(${a}).${called}(${args.join(", ")})`),
      fc
        .tuple(fc.constantFrom(...globals), fc.array(inner, { maxLength: 2 }))
        .map(([called, args]) => `${called}(${args.join(", ")})`),
    ),
  };
});

const macros = new Map([...standardMacros, ...twoVariableMacros, ...optionalMacros]);
const parseLimits = {
  maxCodePoints: limits.maxCelCodePoints,
  maxDepth: limits.maxCelDepth,
  maxParts: limits.maxCelParts,
};

/** The tree without positions. */
function shape(tree: Expression): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (key === "at" || key === "written") return undefined;
    if (typeof value === "bigint") return `${value}n`;
    return Object.is(value, -0) ? "-0" : value;
  });
}

const variables = { x: dynType, y: dynType, self: dynType, size: dynType };
const bindings = {
  x: 1,
  y: "a",
  self: dynamicValue({ x: [1, 2, "a", null], y: { size: 1.5 }, size: "abc" }),
  size: dynamicValue([1, [2], {}]),
};

test("no text makes the parser throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), expression), (source) => {
      compileExpression(source, { variables });
    }),
    { numRuns: 500 },
  );
});

test("an expression that is printed parses to the same tree", () => {
  fc.assert(
    fc.property(expression, (source) => {
      const parsed = parse(source, macros, parseLimits);
      if (parsed.kind === "failed") return;
      const again = parse(print(parsed.expression), macros, parseLimits);
      assert.ok(again.kind === "parsed", print(parsed.expression));
      assert.equal(shape(again.expression), shape(parsed.expression), print(parsed.expression));
    }),
    { numRuns: 1_000 },
  );
});

test("what compiles runs without throwing, within its budget", () => {
  fc.assert(
    fc.property(expression, (source) => {
      const compiled = compileExpression(source, { variables });
      if (compiled.kind === "failed") return;
      const estimate = compiled.program.estimateCost();
      const result = compiled.program.evaluate(bindings, 10_000);
      assert.ok(estimate.min <= estimate.max);
      assert.ok(result.kind === "budget" || result.cost <= 10_000);
    }),
    { numRuns: 3_000 },
  );
});

test("a call that is refused costs something all the same", () => {
  for (const source of ["x.flatten(size)", "size.flatten(-9000000000)", "size.flatten(y)"]) {
    const compiled = compileExpression(source, { variables });
    assert.ok(compiled.kind !== "failed", source);
    const result = compiled.program.evaluate(bindings, 10_000);
    assert.equal(result.kind, "error", source);
    assert.ok(result.cost > 0, `${source} costs ${result.cost}`);
  }
});
