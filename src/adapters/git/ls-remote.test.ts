import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenRef, refPatterns } from "./ls-remote.ts";

const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];

test("a branch wins over a tag of the same name", () => {
  const output = `${a}\trefs/tags/v1\n${b}\trefs/heads/v1\n`;
  const resolved = { kind: "resolved", commit: b, ref: "refs/heads/v1" };
  assert.deepEqual(chosenRef(output, "v1"), resolved);
  const tag = { kind: "resolved", commit: a, ref: "refs/tags/v1" };
  assert.deepEqual(chosenRef(output, "refs/tags/v1"), tag);
});

test("a tag object is peeled", () => {
  const output = `${a}\trefs/tags/v1\n${b}\trefs/tags/v1^{}\n`;
  const resolved = { kind: "resolved", commit: b, ref: "refs/tags/v1" };
  assert.deepEqual(chosenRef(output, "v1"), resolved);
});

test("HEAD is the branch that it names", () => {
  const output = `ref: refs/heads/trunk\tHEAD\n${c}\tHEAD\n`;
  const resolved = { kind: "resolved", commit: c, ref: "refs/heads/trunk" };
  assert.deepEqual(chosenRef(output, ""), resolved);
});

test("a ref that ends with the name is another one", () => {
  assert.deepEqual(refPatterns("main"), [
    "refs/heads/main",
    "refs/heads/main^{}",
    "refs/tags/main",
    "refs/tags/main^{}",
  ]);
  const output = `${a}\trefs/remotes/x/refs/heads/main\n`;
  assert.partialDeepStrictEqual(chosenRef(output, "main"), { reason: "RefNotFound" });
  assert.partialDeepStrictEqual(chosenRef("", ""), { reason: "RefNotFound" });
});
