import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { array, assert as assertProperty, integer, property } from "fast-check";
import { ConfirmedUpTo, Lanes } from "./lanes.ts";
import type { PendingEvent } from "./lanes.ts";

function event(lane: string, revision: number): PendingEvent {
  const message = {
    messageId: `${revision}-0`,
    exchange: "",
    routingKey: "",
    isMandatory: true,
    body: Buffer.from("body"),
  };
  return { lane, revision, message };
}

describe("lanes of events", () => {
  it("send one event of a lane at a time, in order, and lanes side by side", () => {
    const lanes = new Lanes();
    for (const [lane, revision] of [
      ["a", 1],
      ["a", 2],
      ["b", 3],
    ] as const) {
      lanes.add(event(lane, revision));
    }
    const [first, second, none] = [lanes.next(), lanes.next(), lanes.next()];
    assert.deepEqual([first?.revision, second?.revision, none], [1, 3, undefined]);
    if (first !== undefined) lanes.confirm(first);
    assert.equal(lanes.next()?.revision, 2);
    assert.deepEqual([lanes.events, lanes.bytes], [2, 8]);
  });

  it("hold a lane whose event was refused, and try the same event again", () => {
    const lanes = new Lanes();
    lanes.add(event("a", 1));
    lanes.add(event("a", 2));
    const first = lanes.next();
    assert.ok(first !== undefined);
    assert.equal(lanes.block(first), 1);
    assert.deepEqual([lanes.next(), lanes.blocked], [undefined, 1]);
    lanes.unblock(first);
    assert.equal(lanes.next()?.revision, 1);
    assert.equal(lanes.block(first), 2);
    lanes.unblock(first);
    lanes.confirm(lanes.next() ?? first);
    assert.deepEqual([lanes.next()?.revision, lanes.blocked], [2, 0]);
  });
});

describe("the confirmed place", () => {
  it("is below the oldest event without a confirm, for any order of confirms", () => {
    const orders = array(integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 30 });
    assertProperty(
      property(orders, (keys) => {
        const upTo = new ConfirmedUpTo(0);
        const open = new Set<number>();
        for (const at of keys.keys()) {
          upTo.opened(at + 1, 0, 1);
          upTo.readTo(at + 1);
          open.add(at + 1);
        }
        const order = [...keys.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
        for (const at of order) {
          upTo.confirmed(at + 1);
          open.delete(at + 1);
          const oldest = Math.min(...open);
          assert.equal(upTo.revision, open.size === 0 ? keys.length : oldest - 1);
        }
      }),
    );
  });

  it("waits for all events of a change, and passes changes without events", () => {
    const upTo = new ConfirmedUpTo(10);
    upTo.opened(11, 5, 2);
    upTo.readTo(11);
    upTo.readTo(20);
    assert.deepEqual([upTo.revision, upTo.oldestMs], [10, 5]);
    upTo.confirmed(11);
    assert.equal(upTo.revision, 10);
    upTo.confirmed(11);
    assert.deepEqual([upTo.revision, upTo.oldestMs], [20, undefined]);
  });
});
