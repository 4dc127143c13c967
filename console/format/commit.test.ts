import assert from "node:assert/strict";
import { test } from "node:test";
import { shortCommit } from "./commit.ts";

test("a commit is shortened, and names of branches and tags are not", () => {
  assert.equal(shortCommit("4f2a1c9".padEnd(40, "0")), "4f2a1c9");
  assert.equal(shortCommit("feature-with-a-long-name"), "feature-with-a-long-name");
  assert.equal(shortCommit(""), "");
});
