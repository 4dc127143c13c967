import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { ReadTurns } from "./read-turns.ts";

interface Rig {
  /** What was done with the handles since the last call. */
  readonly steps: () => readonly string[];
  readonly endTurn: () => void;
  readonly pass: (ms: number) => void;
  readonly open: (name: string, group: string) => FakeConnection;
}

interface FakeConnection {
  readonly socket: FakeSocket;
  /** Reads a request. */
  readonly read: () => void;
}

interface FakeSocket {
  /** Undefined when the connection has ended. */
  handle: FakeHandle | undefined;
}

interface FakeHandle {
  reading: boolean;
  readStart(): void;
  readStop(): void;
}

function rig(): Rig {
  const planned: (() => void)[] = [];
  let nowMs = 0;
  let steps: string[] = [];
  const later = (run: () => void): void => void planned.push(run);
  const turns = new ReadTurns({
    later,
    nowMs: () => nowMs,
    turnMs: 4,
    recentMs: 1_000,
    handleOf: (socket) => (socket as FakeSocket).handle,
  });
  return {
    steps: () => {
      const done = steps;
      steps = [];
      return done;
    },
    endTurn: () => {
      for (const run of planned.splice(0)) run();
    },
    pass: (ms) => void (nowMs += ms),
    open: (name, group) => {
      const handle: FakeHandle = {
        reading: true,
        readStart: () => void steps.push(`start ${name}`),
        readStop: () => void steps.push(`stop ${name}`),
      };
      const socket: FakeSocket = { handle };
      return { socket, read: () => turns.took(socket, socket, group) };
    },
  };
}

test("connections are read without interruption while it takes little time", () => {
  const { open, steps, endTurn, pass } = rig();
  const [a, b] = [open("a", "x"), open("b", "x")];
  for (let turn = 0; turn < 10; turn += 1) {
    a.read();
    pass(3);
    b.read();
    endTurn();
    pass(3);
  }
  deepEqual(steps(), []);
});

test("once the time of a turn is used up, no connection is read until the next turn", () => {
  const { open, steps, endTurn, pass } = rig();
  const [a, b, c] = [open("a", "x"), open("b", "x"), open("c", "y")];
  for (const one of [a, b, c]) one.read();
  endTurn();
  a.read();
  pass(5);
  a.read();
  deepEqual(steps(), ["stop a", "stop b", "stop c"]);
  pass(5);
  // Of the bytes that were read before.
  a.read();
  deepEqual(steps(), []);
  endTurn();
  // Groups take turns, and of a group the connection that was just read is last.
  deepEqual(steps(), ["start b", "start c", "start a"]);
});

test("a connection that Node.js has paused, or that has ended, is not started", () => {
  const { open, steps, endTurn, pass } = rig();
  const [a, b, c, d] = [open("a", "x"), open("b", "x"), open("c", "x"), open("d", "x")];
  if (c.socket.handle !== undefined) c.socket.handle.reading = false;
  for (const one of [a, b, c, d]) one.read();
  pass(5);
  a.read();
  deepEqual(steps(), ["stop a", "stop b", "stop d"]);
  if (b.socket.handle !== undefined) b.socket.handle.reading = false;
  d.socket.handle = undefined;
  endTurn();
  deepEqual(steps(), ["start a"]);
});

test("a connection without a recent request is not stopped", () => {
  const { open, steps, endTurn, pass } = rig();
  const [a, idle] = [open("a", "x"), open("idle", "x")];
  idle.read();
  endTurn();
  pass(2_000);
  a.read();
  pass(5);
  a.read();
  deepEqual(steps(), ["stop a"]);
  endTurn();
  equal(steps().length, 1);
});
