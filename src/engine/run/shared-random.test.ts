import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../kernel/random.ts";
import { sharedRandom } from "./shared-random.ts";

test("some in a row get the same number, and all of them are spread", () => {
  const shared = sharedRandom(seededRandom(7));
  const drawn = Array.from({ length: 6_400 }, () => shared.next());
  const changes = drawn.filter((value, index) => index > 0 && value !== drawn[index - 1]).length;
  assert.equal(changes, 99);
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const inIt = drawn.filter((value) => Math.floor(value * 10) === tenth).length;
    assert(inIt > 0 && inIt < 2_500, `${inIt} of 6,400 in tenth ${tenth}`);
  }
});
