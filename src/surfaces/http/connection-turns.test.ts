import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { it } from "node:test";
import { FairTurns } from "../../kernel/fair-turns.ts";
import { beginInTurns } from "./connection-turns.ts";

class Connection extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
  }
}

/** A server whose connections cost 1 each, in turns that the test starts itself. */
function serverOf(budget: number): {
  readonly connect: (count: number) => readonly Connection[];
  readonly begun: readonly Connection[];
  readonly next: () => void;
} {
  const planned: (() => void)[] = [];
  let reading = 0;
  const later = (run: () => void): void => void planned.push(run);
  const turns = new FairTurns({ budget, later, clock: () => (reading += 1) });
  const server = new EventEmitter();
  const begun: Connection[] = [];
  server.on("connection", (connection: Connection) => begun.push(connection));
  beginInTurns(server, turns);
  const connect = (count: number): readonly Connection[] => {
    const all = Array.from({ length: count }, () => new Connection());
    for (const connection of all) server.emit("connection", connection);
    return all;
  };
  return { connect, begun, next: () => planned.shift()?.() };
}

it("a connection begins at once while the turn has time", () => {
  const { connect, begun } = serverOf(3);
  assert.deepEqual(begun, connect(2));
});

it("hundreds of connections begin in several turns, in their order", () => {
  const { connect, begun, next } = serverOf(3);
  const all = connect(200);
  assert.equal(begun.length, 3);
  next();
  assert.equal(begun.length, 6);
  for (let turn = 0; turn < 100; turn += 1) next();
  assert.deepEqual(begun, all);
});

it("a connection that fails while it waits is dropped, and does not begin", () => {
  const { connect, begun, next } = serverOf(1);
  const [first, second, third] = connect(3);
  second?.emit("error", new Error("reset"));
  assert.equal(second?.destroyed, true);
  for (let turn = 0; turn < 5; turn += 1) next();
  assert.deepEqual(begun, [first, third]);
  assert.equal(third?.listenerCount("error"), 0, "TLS has its own");
});
