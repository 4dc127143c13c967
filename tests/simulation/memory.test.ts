import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Memory } from "./memory.ts";

const about = "install";

function bodyOf(token: number) {
  return { name: "ns/a", uid: "uid-a", token };
}

function opened(): Memory {
  return new Memory({ wasJournaled: () => true });
}

describe("what authors see of the journal", () => {
  it("is wrong when a later holder begins a step again that a later step has followed", () => {
    const memory = opened();
    const first = memory.stepBegins(bodyOf(1), about, 0, []);
    memory.stepBegins(bodyOf(1), about, 1, [first]);
    assert.throws(() => memory.stepBegins(bodyOf(2), about, 0, []), /runs again after 1 began/);
  });

  it("forgets what was undone, and what a former holder begins after that", () => {
    const memory = opened();
    const first = memory.stepBegins(bodyOf(1), about, 0, []);
    memory.stepUndone(bodyOf(2), about, 0, first, []);
    // It was asleep, and does not know that it has lost the operation.
    memory.stepBegins(bodyOf(1), about, 1, [first]);
    assert.doesNotThrow(() => memory.stepBegins(bodyOf(3), about, 0, []));
  });

  it("holds who has undone it to its steps", () => {
    const memory = opened();
    const first = memory.stepBegins(bodyOf(1), about, 0, []);
    memory.stepUndone(bodyOf(2), about, 0, first, []);
    const again = memory.stepBegins(bodyOf(2), about, 0, []);
    memory.stepBegins(bodyOf(2), about, 1, [again]);
    assert.throws(() => memory.stepBegins(bodyOf(3), about, 0, []), /runs again after 1 began/);
  });
});
