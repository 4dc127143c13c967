// What the streams of one HTTP/2 connection may hand to it. The test decides what the connection
// takes, and starts the turns of the event loop.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { limits } from "../../kernel/limits.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { StreamGate } from "./stream-gate.ts";

const piece = 16 * 1_024;
const open = limits.maxHandedBytes / piece;

interface Rig {
  readonly gate: StreamGate;
  /** The bytes of streams that the connection has not taken. */
  readonly held: Map<number, number>;
  readonly advance: (ms: number) => Promise<void>;
  /** Each stream has bytes without an end, and hands a piece whenever it may. */
  readonly begin: (streams: readonly number[]) => void;
  /** The connection takes all pieces except those of the streams named, in one write. */
  readonly take: (blocked?: ReadonlySet<number>) => readonly number[];
  readonly close: (stream: number) => void;
}

function rig(): Rig {
  const timers = manualTimers(manualClock());
  const planned: (() => void)[] = [];
  const gate = new StreamGate({ later: (run) => void planned.push(run), timers });
  const keys = new Map<number, object>();
  const held = new Map<number, number>();
  const keyOf = (stream: number): object => {
    const key = keys.get(stream) ?? {};
    keys.set(stream, key);
    return key;
  };
  const hand = (stream: number): void => {
    if (held.has(stream)) return;
    const key = keyOf(stream);
    if (!gate.mayHand(key)) {
      gate.wait(key, () => hand(stream));
      return;
    }
    held.set(stream, gate.pieceBytes);
    gate.hold(key, gate.pieceBytes);
  };
  return {
    gate,
    held,
    advance: (ms) => timers.advance(ms),
    begin: (streams) => streams.forEach(hand),
    take: (blocked = new Set()) => {
      const taken = [...held.keys()].filter((stream) => !blocked.has(stream));
      for (const stream of taken) {
        held.delete(stream);
        gate.hold(keyOf(stream), 0);
      }
      for (const run of planned.splice(0)) run();
      taken.forEach(hand);
      return taken;
    },
    close: (stream) => {
      held.delete(stream);
      gate.leave(keyOf(stream));
    },
  };
}

const numbers = (count: number, from = 0): readonly number[] =>
  Array.from({ length: count }, (_, at) => from + at);

describe("the streams of a connection", () => {
  it("hand a bounded number of bytes before it has taken them, and the others wait", () => {
    const { begin, held, gate } = rig();
    begin(numbers(200));
    assert.equal(held.size, open);
    assert.equal(gate.waiting, 200 - open);
  });

  it("take turns as the connection takes their bytes", () => {
    const { begin, take, held } = rig();
    begin(numbers(40));
    const seen = new Set<number>();
    for (let write = 0; write < 5; write++) take().forEach((stream) => seen.add(stream));
    assert.equal(seen.size, 40);
    assert.equal(held.size, open);
  });

  it("do not wait for a stream whose client takes nothing", () => {
    const { begin, take, held } = rig();
    const blocked = new Set([0, 1]);
    begin(numbers(20));
    for (let write = 0; write < 4; write++) take(blocked);
    assert.equal(held.size, open + blocked.size);
    assert.equal(take(blocked).length, open);
  });

  it("are tried one at a time while nothing is taken, as all may be blocked", async () => {
    const { begin, advance, take, held } = rig();
    const blocked = new Set(numbers(open));
    begin(numbers(open + 40));
    assert.deepEqual(take(blocked), []);
    await advance(limits.blockedStreamMs);
    assert.equal(held.size, open + 1);
    for (let write = 0; write < 4; write++) {
      take(blocked);
      await advance(2 * limits.blockedStreamMs);
    }
    assert.ok(take(blocked).length >= open);
  });

  it("hand small pieces when many are blocked, as the client can unblock all at once", () => {
    const { begin, take, held } = rig();
    const blocked = new Set(numbers(200, 50));
    begin(numbers(250));
    const taken = new Set<number>();
    for (let write = 0; write < 60; write++) take(blocked).forEach((stream) => taken.add(stream));
    assert.equal(taken.size, 50);
    const bytes = [...held.values()].reduce((sum, each) => sum + each, 0);
    assert.ok(bytes < 1_024 * 1_024, `${bytes} bytes are held`);
  });

  it("are woken when a stream that held bytes is closed", () => {
    const { begin, take, close, held, gate } = rig();
    begin(numbers(open + 1));
    assert.equal(gate.waiting, 1);
    close(0);
    take(new Set(numbers(open)));
    assert.deepEqual([gate.waiting, held.has(open)], [0, true]);
  });
});
