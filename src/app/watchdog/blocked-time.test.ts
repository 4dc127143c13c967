import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BlockedTime } from "./blocked-time.ts";

describe("the time that a thread is blocked", () => {
  it("adds up while there is no beat, and ends with the next", () => {
    const time = new BlockedTime(250);
    assert.deepEqual(
      [
        [1, 250],
        [1, 250],
        [1, 300],
        [2, 250],
        [2, 250],
      ].map(([beats = 0, elapsedMs = 0]) => time.look(beats, elapsedMs)),
      [0, 250, 550, 0, 250],
    );
  });

  it("counts a long step of the observer as a short one: the machine was suspended", () => {
    const time = new BlockedTime(250);
    time.look(1, 250);
    assert.equal(time.look(1, 3_600_000), 500);
  });
});
