import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { memoryLane } from "./admit.ts";
import type { FairLane } from "./fair-lane.ts";
import { SharedBytes } from "./shared-bytes.ts";

function lane(capacity: number): FairLane {
  return memoryLane(manualTimers(manualClock()), { capacity });
}

it("memory that a thousand answers wait with is charged once, until the last one drops it", () => {
  const memory = lane(100_000_000);
  const shared = new SharedBytes(memory);
  const frame = Buffer.alloc(1_000_000);
  for (let answer = 0; answer < 1_000; answer++) assert.ok(shared.hold("a", frame));
  assert.equal(memory.heldBy("a"), 1_000_000);
  for (let answer = 0; answer < 999; answer++) shared.drop("a", frame);
  assert.equal(memory.heldBy("a"), 1_000_000);
  shared.drop("a", frame);
  assert.equal(memory.heldBy("a"), 0);
});

it("each tenant is charged for memory that it shares with another one", () => {
  const memory = lane(100_000_000);
  const shared = new SharedBytes(memory);
  const frame = Buffer.alloc(1_000_000);
  shared.hold("a", frame);
  shared.hold("b", frame);
  shared.drop("a", frame);
  assert.deepEqual([memory.heldBy("a"), memory.heldBy("b")], [0, 1_000_000]);
});

it("a tenant that holds other memory each time reaches its bound", () => {
  const shared = new SharedBytes(lane(20_000_000));
  const holds = Array.from({ length: 20 }, () => shared.hold("a", Buffer.alloc(1_000_000)));
  assert.deepEqual([holds[0], holds.at(-1)], [true, false]);
});
