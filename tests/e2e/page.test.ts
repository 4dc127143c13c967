// A page is held to every line of what it says is printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstDifference } from "./page.ts";

test("what is printed is what the page says, line by line and to the end", () => {
  const promises = ["a: failed once", "  because"];
  assert.equal(firstDifference(promises, "a: failed once\n  because\n"), undefined);
  assert.equal(firstDifference(promises, "a: failed once   \n  because"), undefined);
  assert.equal(firstDifference(promises, "a: failed once, again\n  because\n"), promises[0]);
  assert.equal(firstDifference(promises, "a: failed once\n"), promises[1]);
  const more = "a: failed once\n  because\n  of this\n";
  assert.equal(firstDifference(promises, more), "not on the page:   of this");
  assert.equal(firstDifference(promises, `first\n${more}`), promises[0]);
  assert.equal(firstDifference([], "a\n"), "not on the page: a");
  assert.equal(firstDifference([], "\n"), undefined);
});

test("dots stand for the rest of a line, or for lines", () => {
  const table = ["NAME   AGE", "hello   ..."];
  assert.equal(firstDifference(table, "NAME   AGE\nhello   3s\n"), undefined);
  assert.equal(firstDifference(["a ... c"], "a b c\n"), undefined);
  assert.equal(firstDifference(["a ... c"], "a b d\n"), "a ... c");
  assert.equal(firstDifference(["a", "...", "z"], "a\nz\n"), undefined);
  assert.equal(firstDifference(["a", "...", "z"], "a\nb\nc\nz\n"), undefined);
  assert.equal(firstDifference(["a", "...", "z"], "a\nb\nz\nc\n"), "not on the page: c");
  assert.equal(firstDifference(["a", "..."], "a\nb\n"), undefined);
  assert.equal(firstDifference(["a", "..."], "b\n"), "a");
});

test("newer versions of kubectl may say where they deleted", () => {
  const promises = ['notice "hello" deleted'];
  assert.equal(
    firstDifference(promises, 'notice "hello" deleted from default namespace\n'),
    undefined,
  );
  assert.equal(firstDifference(promises, 'notice "hello" deleted twice\n'), promises[0]);
});
