import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWords, stateNamed } from "./palette-words.ts";

test("words with a key restrict the search, and the others are the name", () => {
  assert.deepEqual(parseWords("kind:database state:failed ns:shop web"), {
    name: "web",
    kind: "database",
    namespace: "shop",
    state: "Failed",
  });
  assert.deepEqual(parseWords("  "), { name: "" });
  assert.deepEqual(parseWords("kind: state:sleepy a:b"), { name: "a:b" });
});

test("a state is found in any case", () => {
  assert.equal(stateNamed("not-ready"), "NotReady");
  assert.equal(stateNamed("FAILED"), "Failed");
  assert.equal(stateNamed("x"), undefined);
});
