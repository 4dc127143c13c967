import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isSetpointError } from "./errors.ts";
import { requirementsOf } from "./label-selector.ts";
import { formatSelector, matchesSelector, parseSelector, requirement } from "./selector.ts";
import type { Requirement } from "./selector.ts";

const key = fc.constantFrom("a", "b", "in", "notin", "example.dev/x", "A_1.b");
const value = fc.constantFrom("", "x", "y", "in", "notin", "1", "Z_.9");
const anyRequirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc
    .tuple(key, fc.constantFrom("in" as const, "notin" as const), fc.array(value, { minLength: 1 }))
    .map(([name, operator, values]) => requirement(name, operator, values)),
  fc
    .tuple(key, fc.constantFrom("exists" as const, "absent" as const))
    .map(([name, operator]) => requirement(name, operator)),
);

test("a selector survives being written and read", () => {
  fc.assert(
    fc.property(fc.array(anyRequirement, { maxLength: 6 }), (requirements) => {
      assert.deepEqual(parseSelector(formatSelector(requirements)), requirements);
    }),
    { numRuns: 300 },
  );
});

test("a requirement and its opposite never agree", () => {
  const opposite = { in: "notin", notin: "in", exists: "absent", absent: "exists" } as const;
  fc.assert(
    fc.property(anyRequirement, fc.dictionary(key, value), (one, labels) => {
      const other: Requirement = { ...one, operator: opposite[one.operator] };
      assert.notEqual(matchesSelector([one], labels), matchesSelector([other], labels));
    }),
  );
});

test("every form of the grammar is understood", () => {
  const forms: readonly (readonly [string, string])[] = [
    ["a=x", "a=x"],
    ["a == x", "a=x"],
    ["a!=x", "a!=x"],
    ["a in (y, x,x)", "a in (x,y)"],
    ["a notin(x)", "a!=x"],
    ["a", "a"],
    ["!a", "!a"],
    ["! a , b", "!a,b"],
    ["a=", "a="],
    ["a=,b", "a=,b"],
    ["a in (,x)", "a in (,x)"],
    ["a in (x,)", "a in (,x)"],
    ["a in (,)", "a="],
    ["a in ()", "a="],
    ["a > 1", "a>1"],
    ["in in (in)", "in=in"],
    ["  ", ""],
    ["", ""],
  ];
  for (const [text, normal] of forms) {
    assert.equal(formatSelector(parseSelector(text)), normal, text);
  }
});

test("what is wrong is told in the words of Kubernetes", () => {
  const operators = "in, notin, =, ==, !=, gt, lt";
  const messages: readonly (readonly [string, string])[] = [
    ["a b", `unable to parse requirement: found 'b', expected: ${operators}`],
    ["a=x=y", "found '=', expected: ',' or 'end of string'"],
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    ["a in x", "unable to parse requirement: found 'x' expected: '('"],
    ["a in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (!", "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
    ["a in (x,!", "unable to parse requirement: found '!', expected: ',', or identifier"],
    ["a,", "found '', expected: identifier after ','"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a==!x", "unable to parse requirement: found '!', expected: identifier"],
    [
      "/a",
      'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty',
    ],
    [
      `a=${"x".repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${"x".repeat(64)}": ` +
        "must be no more than 63 bytes",
    ],
  ];
  for (const [text, message] of messages) assert.throws(() => parseSelector(text), { message });
});

test("what the grammar does not know is refused as an invalid request", () => {
  const bad = [
    "a,",
    ",a",
    "a,,b",
    "a b",
    "a=x y",
    "a==!x",
    "a=x=y",
    "!a=x",
    "!",
    "=x",
    "a in",
    "a in x",
    "a in (",
    "a in (x",
    "a in (x y)",
    "a in ((x))",
    "a>x",
    "a<",
    "-a",
    "a=-x",
    "a/b/c",
    `a=${"x".repeat(64)}`,
  ];
  for (const text of bad) {
    assert.throws(
      () => parseSelector(text),
      (error) => isSetpointError(error, "request.invalid"),
      text,
    );
  }
  assert.throws(
    () => parseSelector(Array.from({ length: 257 }, () => "a").join()),
    (error) => isSetpointError(error, "request.too_large"),
  );
});

test("reading any text ends with a selector or an operational error", () => {
  const noise = fc.string({ unit: fc.constantFrom("a", "!", "=", "(", ")", ",", " ", "in", "<") });
  fc.assert(
    fc.property(noise, (text) => {
      try {
        assert.equal(formatSelector(parseSelector(text)), formatSelector(parseSelector(text)));
      } catch (error) {
        assert.ok(isSetpointError(error, "request.invalid"));
      }
    }),
    { numRuns: 500 },
  );
});

test("an absent label satisfies != and notin, and prototype names are absent", () => {
  assert.ok(matchesSelector(parseSelector("a!=x,b notin (y,z),!toString"), {}));
  assert.ok(matchesSelector(parseSelector("!a"), undefined));
  assert.ok(!matchesSelector(parseSelector("constructor"), {}));
  assert.ok(matchesSelector([], undefined));
});

test("the object form gives the same requirements as the text form", () => {
  const requirements = requirementsOf({
    matchLabels: { a: "x" },
    matchExpressions: [
      { key: "b", operator: "In", values: ["z", "y"] },
      { key: "c", operator: "NotIn", values: ["q"] },
      { key: "d", operator: "Exists" },
      { key: "e", operator: "DoesNotExist" },
    ],
  });
  assert.deepEqual(requirements, parseSelector("a=x,b in (y,z),c!=q,d,!e"));
  assert.deepEqual(requirementsOf({}), []);
});

test("an unknown operator, missing values and superfluous values are refused", () => {
  for (const expression of [
    { key: "a", operator: "Gt", values: ["1"] },
    { key: "a", operator: "In" },
    { key: "a", operator: "Exists", values: ["x"] },
  ]) {
    assert.throws(
      () => requirementsOf({ matchExpressions: [expression] }),
      (error) => isSetpointError(error, "request.invalid"),
    );
  }
});

test("numbers in labels are compared as numbers, and others are not within any bound", () => {
  const chosen = (selector: string): readonly string[] =>
    ["9", "10", "11", "x", ""].filter((a) => matchesSelector(parseSelector(selector), { a }));
  assert.deepEqual(chosen("a>9"), ["10", "11"]);
  assert.deepEqual(chosen("a<11"), ["9", "10"]);
  assert.deepEqual(chosen("a>9,a<11"), ["10"]);
  assert.equal(matchesSelector(parseSelector("a>9"), {}), false);
});
