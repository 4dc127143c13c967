import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blameFor } from "./blame.ts";

describe("when the thread of a module ends", () => {
  const none = new Set<string>();

  it("the call that the thread names is to blame", () => {
    const { guilty, suspects } = blameFor(["a", "b"], none, "b");
    assert.deepEqual([[...guilty], [...suspects]], [["b"], []]);
  });

  it("the only call is to blame", () => {
    assert.deepEqual([...blameFor(["a"], none, undefined).guilty], ["a"]);
  });

  it("several calls are suspects, and a suspect that is there again is to blame", () => {
    const first = blameFor(["a", "b"], none, undefined);
    assert.deepEqual([[...first.guilty], [...first.suspects]], [[], ["a", "b"]]);
    const second = blameFor(["b", "c"], first.suspects, undefined);
    assert.deepEqual([[...second.guilty], [...second.suspects]], [["b"], []]);
  });
});
