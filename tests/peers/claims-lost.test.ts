// Repetitions are excused by lost claims, and by nothing else.
import assert from "node:assert/strict";
import { it } from "node:test";
import { withoutLost } from "./claims-lost.ts";

it("no more repetitions are passed over than claims were lost, and only in their place", () => {
  const expected = ["dig", "fire", "fire", "test"];
  assert.deepEqual(withoutLost(expected, expected, 5), expected);
  const thrice = ["dig", "fire", "fire", "fire", "test"];
  assert.deepEqual(withoutLost(thrice, expected, 1), expected);
  assert.deepEqual(withoutLost(thrice, expected, 0), thrice);
  assert.deepEqual(withoutLost(["dig", "fire", "test"], expected, 1), ["dig", "fire", "test"]);
  const anew = ["dig", "fire", "dig", "fire", "test"];
  assert.deepEqual(withoutLost(anew, expected, 5), anew);
});
