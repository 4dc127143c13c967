// What does not compile, and why: line, column and words of each problem, as cel-go has them.

import assert from "node:assert/strict";
import test from "node:test";
import { compileExpression } from "./environment.ts";

function problems(source: string): string {
  const compiled = compileExpression(source, { variables: {} });
  if (compiled.kind === "compiled") return "compiles";
  return compiled.message
    .replace(/^compilation failed: /, "")
    .split("\n")
    .filter((line) => line.startsWith("ERROR: <input>:"))
    .map((line) => line.slice("ERROR: <input>:".length))
    .join("; ");
}

const cases: readonly (readonly [expression: string, problems: string])[] = [
  [
    "self.a +",
    "1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["self.a )", "1:8: Syntax error: extraneous input ')' expecting <EOF>"],
  ["(1 + 2", "1:7: Syntax error: missing ')' at '<EOF>'"],
  ["[1, 2", "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
  ["{'a': 1", "1:8: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
  ["{'a' 1}", "1:6: Syntax error: missing ':' at '1'"],
  ["1 2", "1:3: Syntax error: extraneous input '2' expecting <EOF>"],
  ["self.", "1:6: Syntax error: no viable alternative at input '.'"],
  ["self..a", "1:6: Syntax error: no viable alternative at input '..'"],
  [
    "foo(1,",
    "1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["foo(1 2)", "1:7: Syntax error: extraneous input '2' expecting ')'"],
  [
    "foo(",
    "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-'," +
      " '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "'abc",
    "1:1: Syntax error: token recognition error at: ''abc'; 1:5: Syntax error: mismatched" +
      " input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM" +
      "_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    '"abc',
    "1:1: Syntax error: token recognition error at: '\"abc'; 1:5: Syntax error: mismatched" +
      " input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM" +
      "_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "a @ b",
    "1:3: Syntax error: token recognition error at: '@'; 1:5: Syntax error: extraneous in" +
      "put 'b' expecting <EOF>",
  ],
  [
    "1 = 2",
    "1:3: Syntax error: token recognition error at: '= '; 1:5: Syntax error: extraneous i" +
      "nput '2' expecting <EOF>",
  ],
  ["a ? b", "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
  [
    "a ? b : ",
    "1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "&& a",
    "1:1: Syntax error: extraneous input '&&' expecting {'[', '{', '(', '.', '-', '!', 't" +
      "rue', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "a &&",
    "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["a b", "1:3: Syntax error: extraneous input 'b' expecting <EOF>"],
  [
    ")",
    "1:1: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'tr" +
      "ue', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "self.size(",
    "1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-'" +
      ", '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["has(a", "1:5: invalid argument to has() macro; 1:6: Syntax error: missing ')' at '<EOF>'"],
  ["namespace", "1:1: reserved identifier: namespace"],
  ["self.namespace", "1:1: undeclared reference to 'self' (in container '')"],
  ["for", "1:1: reserved identifier: for"],
  ["[1,,2]", "1:4: Syntax error: mismatched input ',' expecting ']'"],
  ["{1:2,,}", "1:6: Syntax error: extraneous input ',' expecting '}'"],
  [
    "a.b.c(d, )",
    "1:10: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 't" +
      "rue', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "1 + * 2",
    "1:5: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'tr" +
      "ue', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "#",
    "1:1: Syntax error: token recognition error at: '#'; 1:2: Syntax error: mismatched in" +
      "put '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FL" +
      "OAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["a.'b'", "1:3: Syntax error: no viable alternative at input '.'b''"],
  [
    "!",
    "1:2: Syntax error: extraneous input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "a[",
    "1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["a[1", "1:4: Syntax error: missing ']' at '<EOF>'"],
  [
    "a[]",
    "1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?'" +
      ", 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "{:}",
    "1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-'" +
      ", '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, ID" +
      "ENTIFIER}",
  ],
  ["''' abc", "1:3: Syntax error: token recognition error at: '' abc'"],
  ["a.?b", "1:1: undeclared reference to 'a' (in container '')"],
  ["a?.b", "1:5: Syntax error: mismatched input '<EOF>' expecting ':'"],
  [
    "x in",
    "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!'," +
      " 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["true false", "1:6: Syntax error: extraneous input 'false' expecting <EOF>"],
  ["null null", "1:6: Syntax error: extraneous input 'null' expecting <EOF>"],
  ["1..2", "1:3: Syntax error: no viable alternative at input '..2'"],
  [
    "a == == b",
    "1:6: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', 't" +
      "rue', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "a.b(",
    "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-'," +
      " '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "a == 'b\" ",
    "1:6: Syntax error: token recognition error at: ''b\" '; 1:10: Syntax error: mismatche" +
      "d input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NU" +
      "M_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    "'\\q'",
    "1:1: Syntax error: token recognition error at: ''\\q'; 1:4: Syntax error: token recog" +
      "nition error at: '''; 1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{" +
      "', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING" +
      ", BYTES, IDENTIFIER}",
  ],
  ["'a' 'b'", "1:5: Syntax error: extraneous input ''b'' expecting <EOF>"],
  [
    "a | b",
    "1:3: Syntax error: token recognition error at: '| '; 1:5: Syntax error: extraneous i" +
      "nput 'b' expecting <EOF>",
  ],
  [
    "a & b",
    "1:3: Syntax error: token recognition error at: '& '; 1:5: Syntax error: extraneous i" +
      "nput 'b' expecting <EOF>",
  ],
  [
    "a; b",
    "1:2: Syntax error: token recognition error at: ';'; 1:4: Syntax error: extraneous in" +
      "put 'b' expecting <EOF>",
  ],
  [
    "a ? : b",
    "1:5: Syntax error: extraneous input ':' expecting {'[', '{', '(', '.', '-', '!', 'tr" +
      "ue', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}; 1:8:" +
      " Syntax error: mismatched input '<EOF>' expecting ':'",
  ],
  [
    '"\\u12"',
    "1:1: Syntax error: token recognition error at: '\"\\u12\"'; 1:7: Syntax error: mismatch" +
      "ed input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', N" +
      "UM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["99999999999999999999", "1:1: invalid int literal"],
  ["1u2", "1:3: Syntax error: extraneous input '2' expecting <EOF>"],
  ["0x", "1:2: Syntax error: extraneous input 'x' expecting <EOF>"],
  ["1e400", "1:1: invalid double literal"],
  ["as + 1", "1:1: reserved identifier: as"],
  ["a.as", "1:1: undeclared reference to 'a' (in container '')"],
  ["a b c", "1:3: Syntax error: mismatched input 'b' expecting <EOF>"],
  ["a ) )", "1:3: Syntax error: mismatched input ')' expecting <EOF>"],
  ["a.b. c d", "1:8: Syntax error: extraneous input 'd' expecting <EOF>"],
  ["f(1 2 3)", "1:5: Syntax error: mismatched input '2' expecting ')'"],
  ["[1 2]", "1:4: Syntax error: extraneous input '2' expecting {']', ','}"],
  ["[1 2 3]", "1:4: Syntax error: mismatched input '2' expecting {']', ','}"],
  ["{1:2 3:4}", "1:6: Syntax error: mismatched input '3' expecting {'}', ','}"],
  ["a ? b c : d", "1:7: Syntax error: extraneous input 'c' expecting ':'"],
  ["a[1 2]", "1:5: Syntax error: extraneous input '2' expecting ']'"],
  ["(1 2)", "1:4: Syntax error: extraneous input '2' expecting ')'"],
  ["(1 2 3)", "1:4: Syntax error: mismatched input '2' expecting ')'"],
  ["-a", "1:2: undeclared reference to 'a' (in container '')"],
  ["!-1", "1:1: found no matching overload for '!_' applied to '(int)'"],
  ["-!a", "1:2: Syntax error: no viable alternative at input '-!'"],
  ["a.b{}", "1:4: undeclared reference to 'a.b' (in container '')"],
  ["a.b{c:1}", "1:4: undeclared reference to 'a.b' (in container '')"],
  [
    "Foo{",
    "1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ES" +
      "C_IDENTIFIER}",
  ],
  ["a.`b`", "1:3: unsupported syntax: '`'"],
  ["1.0.x", "1:4: type 'double' does not support field selection"],
  ["optional.of(1)?.x", "1:18: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["{1:1}.1", "1:6: Syntax error: extraneous input '.1' expecting <EOF>"],
  ["a ?b", "1:5: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["timestamp('2020-01-01T00:00:00.12z')", "1:11: invalid timestamp argument"],
  ["timestamp('2020-01-01t00:00:00Z')", "1:11: invalid timestamp argument"],
  ["timestamp('2020-01-01')", "1:11: invalid timestamp argument"],
  ["timestamp('0000-01-01T00:00:00Z')", "1:11: invalid timestamp argument"],
  ["timestamp('2020-02-30T00:00:00Z')", "1:11: invalid timestamp argument"],
  ["timestamp('2020-01-01T24:00:00Z')", "1:11: invalid timestamp argument"],
  ["duration('1d')", "1:10: invalid duration argument"],
  ["duration('5')", "1:10: invalid duration argument"],
  ["duration('')", "1:10: invalid duration argument"],
  ["duration('100000000h')", "1:10: invalid duration argument"],
  ["-duration('1s')", "1:1: found no matching overload for '-_' applied to '(duration)'"],
  ["duration(5)", "1:10: invalid duration argument"],
  ["'abc'.matches('[')", "1:15: invalid matches argument"],
  ["{'a':1}.?b.c", "1:11: type 'int' does not support field selection"],
  ["x", "1:1: undeclared reference to 'x' (in container '')"],
  ["timestamp('bad')", "1:11: invalid timestamp argument"],
  ["duration('bad')", "1:10: invalid duration argument"],
  [
    "'%d'.format(['x'])",
    "1:14: error during formatting: decimal clause can only be used on integers, was given string",
  ],
  ["'%s'.format([])", "1:12: index 0 out of range"],
  [
    "'%s'.format(['a', 'b'])",
    "1:12: too many arguments supplied to string.format (expected 1, got 2)",
  ],
  [
    "'%a'.format([1])",
    '1:12: could not parse formatting clause: unrecognized formatting clause "a"',
  ],
  ["'%'.format([1])", "1:11: unexpected end of string"],
  [
    "'%.f'.format([1.0])",
    "1:13: could not parse formatting clause: error while parsing precision: error while " +
      'converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
  [
    "'%f'.format([1])",
    "1:14: error during formatting: fixed-point clause can only be used on doubles, was given int",
  ],
  [
    "'%s'.format([optional.of(1)])",
    "1:25: error during formatting: string clause can only be used on strings, bools, byt" +
      "es, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type",
  ],
  [
    "[1,[2,[3]]].flatten()",
    "1:4: expected type 'int' but found 'list(dyn)'; 1:7: expected type 'int' but found '" +
      "list(int)'",
  ],
  [
    "[[1],[2,[3]]].flatten()",
    "1:6: expected type 'list(int)' but found 'list(dyn)'; 1:9: expected type 'int' but f" +
      "ound 'list(int)'",
  ],
  [
    "[dyn(1),[2,[3,[4]]]].flatten(2)",
    "1:9: expected type 'dyn' but found 'list(dyn)'; 1:12: expected type 'int' but found " +
      "'list(dyn)'; 1:15: expected type 'int' but found 'list(int)'",
  ],
  ["[1,2.0,dyn(2)].distinct()", "1:4: expected type 'int' but found 'double'"],
  [
    "quantity('5').sign()",
    "1:19: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'",
  ],
  ["size(ip('1.2.3.4'))", "1:5: found no matching overload for 'size' applied to '(net.IP)'"],
  ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'x'}", "1:15: expected type 'int' but found 'string'"],
  ["[1, 2.0]", "1:5: expected type 'int' but found 'double'"],
  ["[1, null]", "1:5: expected type 'int' but found 'null'"],
  ["'a' in ['a', 1]", "1:14: expected type 'string' but found 'int'"],
  ["ip('1.2.3.4').foo", "1:14: type 'net.IP' does not support field selection"],
  ["quantity('1').foo", "1:14: unexpected failed resolution of 'kubernetes.Quantity'"],
  ["optional.of(1).foo", "1:15: type 'int' does not support field selection"],
  [
    "'%b'.format([1.5])",
    "1:14: error during formatting: only integers and bools can be formatted as binary, w" +
      "as given double",
  ],
  [
    "'%o'.format(['a'])",
    "1:14: error during formatting: octal clause can only be used on integers, was given string",
  ],
  [
    "'%x'.format([1.5])",
    "1:14: error during formatting: only integers, byte buffers, and strings can be forma" +
      "tted as hex, was given double",
  ],
  [
    "'%e'.format([1])",
    "1:14: error during formatting: scientific clause can only be used on doubles, was given int",
  ],
  [
    "'%d'.format([1.5])",
    "1:14: error during formatting: decimal clause can only be used on integers, was given double",
  ],
  ["matches('[', 'a')", "1:9: invalid matches argument"],
  [
    "[1,2].existsOne(v, v == 1)",
    "1:16: undeclared reference to 'existsOne' (in container ''); 1:17: undeclared refere" +
      "nce to 'v' (in container ''); 1:20: undeclared reference to 'v' (in container '')",
  ],
  ["[1,2].all(__result__, true)", "1:11: iteration variable overwrites accumulator variable"],
  ["[1,2].all(1, true)", "1:11: argument must be a simple name"],
  ["[1,2].map(1+1, true)", "1:12: argument is not an identifier"],
  ["[1].all(x, x, true)", "1:12: duplicate variable name: x"],
  ["[1].all(x, 1, true)", "1:12: argument must be a simple name"],
  [
    "1.all(x, true)",
    "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map," +
      " or dynamic)",
  ],
  ["[1].exists(x, y)", "1:15: undeclared reference to 'y' (in container '')"],
  ["[1].exists(x, 1)", "1:15: expected type 'bool' but found 'int'"],
  ["[1].map(x, y, 1)", "1:12: undeclared reference to 'y' (in container '')"],
  ["has(1)", "1:5: invalid argument to has() macro"],
  ["has('a'.b)", "1:4: type 'string' does not support field selection"],
  [
    "[1].optMap(x, 1)",
    "1:11: found no matching overload for 'hasValue' applied to 'list(int).()'; 1:11: fou" +
      "nd no matching overload for 'value' applied to 'list(int).()'",
  ],
  ["optional.of(1).optMap(1, 2)", "1:23: optMap() variable name must be a simple identifier"],
  [
    "true ? 1 : 'a'",
    "1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'",
  ],
  ["1 ? 2 : 3", "1:3: found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  ["'a' && true", "1:1: expected type 'bool' but found 'string'"],
  [
    "1 + 2 == 3 && 'a' == 1",
    "1:19: found no matching overload for '_==_' applied to '(string, int)'",
  ],
  [
    "[1,2] + ['a']",
    "1:7: found no matching overload for '_+_' applied to '(list(int), list(string))'",
  ],
  [
    "{'a':1} + {'b':2}",
    "1:9: found no matching overload for '_+_' applied to '(map(string, int), map(string, int))'",
  ],
  ["1 in 'a'", "1:3: found no matching overload for '@in' applied to '(int, string)'"],
  ["-'a'", "1:1: found no matching overload for '-_' applied to '(string)'"],
  ["!1", "1:1: found no matching overload for '!_' applied to '(int)'"],
  ["null + 1", "1:6: found no matching overload for '_+_' applied to '(null, int)'"],
  ["null == 1", "1:6: found no matching overload for '_==_' applied to '(null, int)'"],
  [
    "[null] == [1]",
    "1:8: found no matching overload for '_==_' applied to '(list(null), list(int))'",
  ],
  ["dyn", "1:1: undeclared reference to 'dyn' (in container '')"],
  ["foo.bar", "1:1: undeclared reference to 'foo' (in container '')"],
  ["foo(1)", "1:4: undeclared reference to 'foo' (in container '')"],
  ["'a'.foo()", "1:8: undeclared reference to 'foo' (in container '')"],
  ["'a'.foo(1, 2)", "1:8: undeclared reference to 'foo' (in container '')"],
  [
    "a.b.c(1)",
    "1:1: undeclared reference to 'a' (in container ''); 1:6: undeclared reference to 'c'" +
      " (in container '')",
  ],
  ["Foo{a: 1}", "1:4: undeclared reference to 'Foo' (in container '')"],
  ["size(1)", "1:5: found no matching overload for 'size' applied to '(int)'"],
  ["size()", "1:5: found no matching overload for 'size' applied to '()'"],
  ["size('a', 'b')", "1:5: found no matching overload for 'size' applied to '(string, string)'"],
  ["1.5.foo", "1:4: type 'double' does not support field selection"],
  ["'abc'[0]", "1:6: found no matching overload for '_[_]' applied to '(string, int)'"],
  ["[1]['a']", "1:4: found no matching overload for '_[_]' applied to '(list(int), string)'"],
  [
    "{'a': 1}[1]",
    "1:9: found no matching overload for '_[_]' applied to '(map(string, int), int)'",
  ],
  [
    "{1: 2}['a']",
    "1:7: found no matching overload for '_[_]' applied to '(map(int, int), string)'",
  ],
  [
    "optional.of(1) == 1",
    "1:16: found no matching overload for '_==_' applied to '(optional_type(int), int)'",
  ],
  [
    "[optional.of(1)] + [optional.of('a')]",
    "1:18: found no matching overload for '_+_' applied to '(list(optional_type(int)), li" +
      "st(optional_type(string)))'",
  ],
];

for (const [expression, expected] of cases) {
  test(`${expression} does not compile`, () => {
    assert.equal(problems(expression), expected);
  });
}

test("a problem is shown with its line and a mark below its place", () => {
  const compiled = compileExpression("true &&\n  'ü' + 1 == x", { variables: {} });
  assert.equal(
    compiled.kind === "failed" ? compiled.message : "",
    [
      "compilation failed: ERROR: <input>:2:7: found no matching overload for '_+_' applied to " +
        "'(string, int)'",
      " |   'ü' + 1 == x",
      " | ...．..^",
      "ERROR: <input>:2:14: undeclared reference to 'x' (in container '')",
      " |   'ü' + 1 == x",
      " | ...．.........^",
    ].join("\n"),
  );
});

test("an expression may be long and deep only within the limits", () => {
  assert.equal(
    problems(`'${"a".repeat(100_000)}'`),
    "-1:0: expression code point size exceeds limit: size: 100002, limit 100000",
  );
  const nested = (depth: number): string => "(".repeat(depth) + "1" + ")".repeat(depth);
  assert.equal(problems(nested(249)), "compiles");
  assert.equal(problems(nested(250)), "-1:0: expression recursion limit exceeded: 250");
  assert.equal(problems(Array(251).fill("1").join("+")), "compiles");
  assert.equal(problems(Array(252).fill("1").join("+")), "-1:0: max recursion depth exceeded");
});
