import assert from "node:assert/strict";
import { test } from "node:test";
import { compileRegex, regexProblem } from "./regex.ts";

test("a match may be anywhere, as in Go", () => {
  assert.equal(compileRegex("b+")("abbc"), true);
  assert.equal(compileRegex("^b+$")("abbc"), false);
});

test("a pattern that would hang other engines is answered at once", () => {
  assert.equal(compileRegex("^(a+)+$")(`${"a".repeat(5_000)}b`), false);
});

test("errors are Go's", () => {
  assert.equal(regexProblem("("), "error parsing regexp: missing closing ): `(`");
  assert.equal(
    regexProblem("(?=x)"),
    "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
  );
  assert.equal(regexProblem("x"), undefined);
  assert.throws(() => compileRegex("a**"), { code: "request.invalid" });
});

test("a pattern whose repetitions compile to too many instructions is refused", () => {
  assert.equal(regexProblem("a{1000}"), undefined);
  const problem = "error parsing regexp: expression too large";
  assert.equal(regexProblem("a{1000}".repeat(30)), problem);
  assert.equal(regexProblem(`(${"abcdefghij".repeat(100)}){100}`), problem);
});
