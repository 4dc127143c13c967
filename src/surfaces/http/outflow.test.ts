// How bytes are handed to connections: in pieces, in turns between tenants, and charged while they
// wait. The connections are simulated, and the test starts the turns of the event loop.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { FairTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { ManualTimers } from "../../kernel/manual-timers.ts";
import { memoryLane } from "./admit.ts";
import type { FairLane } from "./fair-lane.ts";
import { FlowAccount } from "./flow-account.ts";
import { Outflow } from "./outflow.ts";
import type { Response } from "./outflow.ts";
import { SharedBytes } from "./shared-bytes.ts";
import { streamGates } from "./stream-gate.ts";

const piece = 128 * 1_024;

/** A connection that takes bytes at once, or not before `take`. */
class Connection extends EventEmitter {
  readonly pieces: number[] = [];
  readonly isFast: boolean;
  destroyed = false;
  isEnded = false;
  writableLength = 0;

  constructor(isFast: boolean) {
    super();
    this.isFast = isFast;
  }

  write(bytes: Buffer): boolean {
    this.pieces.push(bytes.length);
    if (!this.isFast) this.writableLength += bytes.length;
    return this.isFast;
  }

  take(): void {
    this.writableLength = 0;
    this.emit("drain");
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.writableLength = 0;
    this.emit("close");
  }
}

interface Rig {
  readonly memory: FairLane;
  readonly timers: ManualTimers;
  readonly turn: () => boolean;
  readonly open: (
    tenant: string,
    options?: { readonly isFast?: boolean; readonly session?: object },
  ) => { readonly connection: Connection; readonly outflow: Outflow };
}

function rig({ turnBytes = 10 * piece, capacity = 1_000 * piece } = {}): Rig {
  const timers = manualTimers(manualClock());
  const memory = memoryLane(timers, { capacity });
  const shared = new SharedBytes(memory);
  const planned: (() => void)[] = [];
  const turns = new FairTurns({ budget: turnBytes, later: (run) => void planned.push(run) });
  const gates = streamGates({ later: (run) => void planned.push(run), timers });
  const outflows = { timers, stallMs: 6_000, bodyPaceMs: 1_000, turns, gates };
  return {
    memory,
    timers,
    turn: () => {
      const run = planned.shift();
      run?.();
      return run !== undefined;
    },
    open: (tenant, { isFast = true, session } = {}) => {
      const connection = new Connection(isFast);
      if (session !== undefined) {
        Object.assign(connection, { stream: { destroyed: false, session } });
      }
      const response = connection as unknown as Response;
      const account = new FlowAccount({ memory, shared }, tenant);
      return { connection, outflow: new Outflow(response, outflows, { tenant, account }) };
    },
  };
}

describe("handing bytes to connections", () => {
  it("happens at once while the turn of the event loop has room", () => {
    const { open, memory } = rig();
    const { connection, outflow } = open("a");
    assert.equal(outflow.write(Buffer.alloc(10)), true);
    assert.equal(outflow.write(Buffer.alloc(2.5 * piece)), true);
    assert.deepEqual(connection.pieces, [10, piece, piece, piece / 2]);
    assert.equal(memory.heldBy("a"), 0);
  });

  it("has smaller pieces on HTTP/2, where the streams of a connection share it", () => {
    const { open } = rig();
    const { connection, outflow } = open("a", { session: {} });
    outflow.write(Buffer.alloc(40 * 1_024));
    assert.deepEqual(connection.pieces, [16 * 1_024, 16 * 1_024, 8 * 1_024]);
  });

  it("waits until an HTTP/2 connection has taken what its other streams handed", () => {
    const { open, turn } = rig();
    const session = {};
    const streams = Array.from({ length: 50 }, () => open("a", { isFast: false, session }));
    for (const { outflow } of streams) outflow.write(Buffer.alloc(piece));
    const held = (): number =>
      streams.reduce((sum, { connection }) => sum + connection.writableLength, 0);
    assert.equal(held(), limits.maxHandedBytes);
    const other = open("a", { isFast: false, session: {} });
    other.outflow.write(Buffer.alloc(piece));
    assert.equal(other.connection.pieces.length, 1);
    const done = (): boolean => streams.every(({ connection }) => connection.pieces.length === 8);
    for (let write = 0; write < 100 && !done(); write++) {
      for (const { connection } of streams) if (connection.writableLength > 0) connection.take();
      while (turn());
      assert.ok(held() <= limits.maxHandedBytes, `${held()} bytes are held`);
    }
    assert.ok(done());
  });

  it("continues in later turns, and tenants take turns", () => {
    const { open, turn } = rig({ turnBytes: 2 * piece });
    const many = Array.from({ length: 50 }, () => open("many"));
    for (const { outflow } of many) outflow.write(Buffer.alloc(8 * piece));
    const handed = (): number =>
      many.reduce((sum, { connection }) => sum + connection.pieces.length, 0);
    assert.equal(handed(), 2);
    const other = open("other");
    assert.equal(other.outflow.write(Buffer.alloc(10)), false);
    assert.deepEqual(other.connection.pieces, []);
    turn();
    assert.deepEqual(other.connection.pieces, [10]);
    assert.equal(handed(), 3 + 1);
    while (turn());
    assert.equal(handed(), 50 * 8);
  });

  it("resolves `drained` when the last piece is handed in a later turn", async () => {
    const { open, turn, memory } = rig({ turnBytes: piece });
    const { outflow } = open("a");
    assert.equal(outflow.write(Buffer.alloc(3 * piece)), false);
    let isDrained = false;
    const drained = outflow.drained().then(() => (isDrained = true));
    turn();
    await Promise.resolve();
    assert.equal(isDrained, false);
    while (turn());
    await drained;
    assert.equal(memory.heldBy("a"), 0);
  });

  it("ends the answer after the last piece", () => {
    const { open, turn } = rig({ turnBytes: piece });
    const { connection, outflow } = open("a");
    outflow.write(Buffer.alloc(2 * piece));
    outflow.end();
    assert.equal(connection.isEnded, false);
    while (turn());
    assert.deepEqual([connection.isEnded, connection.pieces], [true, [piece, piece]]);
  });

  it("cuts off a client that takes nothing, but not one that waits for its turn", async () => {
    const { open, timers } = rig({ turnBytes: piece });
    const slow = open("a", { isFast: false });
    const waiting = open("a");
    slow.outflow.write(Buffer.alloc(2 * piece));
    waiting.outflow.write(Buffer.alloc(2 * piece));
    await timers.advance(60_000);
    assert.deepEqual([slow.connection.destroyed, waiting.connection.destroyed], [true, false]);
  });
});

describe("bytes that wait", () => {
  it("are charged to the tenant until the connection has taken them", () => {
    const { open, memory } = rig();
    const { connection, outflow } = open("a", { isFast: false });
    outflow.write(Buffer.alloc(3 * piece));
    assert.equal(memory.heldBy("a"), 3 * piece);
    connection.take();
    assert.equal(memory.heldBy("a"), 2 * piece);
    connection.take();
    connection.take();
    assert.equal(memory.heldBy("a"), 0);
  });

  it("are charged once if a hundred answers share them, besides what connections hold", () => {
    const { open, memory, turn } = rig();
    const frame = Buffer.alloc(8 * piece);
    const all = Array.from({ length: 100 }, () => open("a", { isFast: false }));
    for (const { outflow } of all) outflow.write(frame, frame);
    const inConnections = (): number =>
      all.reduce((sum, { connection }) => sum + connection.writableLength, 0);
    assert.ok(inConnections() > 0);
    assert.equal(memory.heldBy("a"), frame.length + inConnections());
    for (const { connection } of all.slice(1)) connection.destroy();
    assert.equal(memory.heldBy("a"), frame.length + inConnections());
    // The frame is in memory as long as the connection has its last piece.
    const [first] = all;
    for (let taken = 0; taken < 7; taken++) {
      first?.connection.take();
      turn();
    }
    assert.equal(memory.heldBy("a"), frame.length + piece);
    first?.connection.take();
    assert.equal(memory.heldBy("a"), 0);
  });

  it("end the answer when its tenant holds too much, and are returned with it", () => {
    const { open, memory } = rig({ capacity: 80 * piece });
    const all = Array.from({ length: 60 }, () => open("a", { isFast: false }));
    for (const { outflow } of all) {
      const frame = Buffer.alloc(4 * piece);
      outflow.write(frame, frame);
    }
    const ended = all.filter(({ connection }) => connection.destroyed).length;
    assert.ok(ended > 40, `${ended} are ended`);
    assert.ok(memory.heldBy("a") <= 40 * piece);
    for (const { connection } of all) connection.destroy();
    assert.equal(memory.heldBy("a"), 0);
  });
});
