import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { StreamAllowance } from "./stream-allowance.ts";

interface Rig {
  readonly allowance: StreamAllowance;
  /** Of new connections. */
  readonly forNew: () => number;
  readonly open: () => Connection;
  /** What clients can send at one moment. */
  readonly unused: () => number;
  /** Of the event loop. */
  readonly endTurn: () => void;
}

interface Connection {
  readonly key: object;
  allowed: number;
  running: number;
  /** Acknowledgements that the client has not sent. */
  readonly acknowledge: () => void;
  readonly begin: (count: number) => void;
  readonly end: (count: number) => void;
}

function rig(): Rig {
  let forNew = 0;
  const planned: (() => void)[] = [];
  const connections = new Map<object, Connection & { waiting: (() => void)[] }>();
  const allowance = new StreamAllowance({
    allow: (key, streams, acknowledged) => {
      const connection = connections.get(key);
      ok(connection);
      connection.allowed = streams;
      connection.waiting.push(acknowledged);
    },
    later: (run) => void planned.push(run),
    allowNew: (streams) => void (forNew = streams),
    most: 250,
    spare: 32,
    leastSpare: 4,
    total: 256,
  });
  const open = (): Connection => {
    const key = {};
    const connection: Connection & { waiting: (() => void)[] } = {
      key,
      allowed: forNew,
      running: 0,
      waiting: [],
      acknowledge: () => {
        for (const acknowledged of connection.waiting.splice(0)) acknowledged();
      },
      begin: (count) => {
        for (let at = 0; at < count; at++) {
          connection.running += 1;
          allowance.begun(key);
          connection.acknowledge();
        }
      },
      end: (count) => {
        for (let at = 0; at < count; at++) {
          connection.running -= 1;
          allowance.ended(key);
          connection.acknowledge();
        }
      },
    };
    connections.set(key, connection);
    allowance.opened(key);
    connection.acknowledge();
    return connection;
  };
  const unused = (): number => {
    let sum = 0;
    for (const { allowed, running } of connections.values()) sum += allowed - running;
    return sum;
  };
  const endTurn = (): void => {
    for (const run of planned.splice(0)) run();
  };
  return { allowance, forNew: () => forNew, open, unused, endTurn };
}

test("a connection may have some streams beyond its running ones, up to a limit", () => {
  const { open } = rig();
  const connection = open();
  equal(connection.allowed, 32);
  connection.begin(16);
  equal(connection.allowed, 48);
  while (connection.running < 250) {
    ok(connection.allowed > connection.running, `${connection.running} running`);
    connection.begin(1);
  }
  equal(connection.allowed, 250);
});

test("a connection whose requests end is allowed fewer streams again", () => {
  const { open } = rig();
  const connection = open();
  connection.begin(250);
  connection.end(31);
  equal(connection.allowed, 250);
  connection.end(219);
  ok(connection.allowed < 64, `${connection.allowed} streams`);
  ok(connection.allowed >= 32, `${connection.allowed} streams`);
});

test("the more connections there are, the fewer streams may each open at one moment", () => {
  const { open, unused, forNew } = rig();
  const connections = Array.from({ length: 64 }, open);
  equal(forNew(), 4);
  ok(unused() <= 2 * 256, `${unused()} streams`);
  for (const { allowed } of connections) ok(allowed >= 4);
});

test("connections that held many running requests get no more at one moment afterwards", () => {
  const { open, unused } = rig();
  const connections = Array.from({ length: 64 }, open);
  for (const connection of connections) connection.begin(250);
  deepEqual(new Set(connections.map(({ allowed }) => allowed)), new Set([250]));
  for (const connection of connections) connection.end(250);
  ok(unused() <= 2 * 256, `${unused()} streams`);
});

test("connections that end leave their streams to the ones that begin", () => {
  const { open, allowance, forNew } = rig();
  const connections = Array.from({ length: 64 }, open);
  for (const { key } of connections) allowance.closed(key);
  equal(forNew(), 32);
  allowance.begun(connections[0]?.key ?? {});
});

test("a client that acknowledges no change is allowed no more, and gets few changes", () => {
  let changes = 0;
  const allowance = new StreamAllowance({
    allow: () => void (changes += 1),
    later: () => undefined,
    allowNew: () => undefined,
    most: 250,
    spare: 32,
    leastSpare: 4,
    total: 256,
  });
  const session = {};
  allowance.opened(session);
  for (let at = 0; at < 32; at++) allowance.begun(session);
  equal(changes, 1);
  for (let round = 0; round < 100; round++) {
    for (let at = 0; at < 32; at++) allowance.ended(session);
    for (let at = 0; at < 32; at++) allowance.begun(session);
  }
  ok(changes <= 4, `${changes} changes`);
});

test("a connection that opens and resets streams in one turn ends, and others do not", () => {
  const { allowance, open, endTurn } = rig();
  const [client, hostile] = [open(), open()];
  const opened = (key: object): number => {
    let count = 0;
    while (count < 1_000 && allowance.read(key)) count += 1;
    return count;
  };
  for (let at = 0; at < client.allowed; at++) ok(allowance.read(client.key));
  const most = opened(hostile.key);
  ok(most < 100, `${most} streams`);
  endTurn();
  for (let at = 0; at < client.allowed; at++) ok(allowance.read(client.key));
  equal(opened(hostile.key), most);
});

test("a client may use what it was allowed until it knows of less", () => {
  let acknowledge = (): void => undefined;
  const allowance = new StreamAllowance({
    allow: (_session, _streams, acknowledged) => void (acknowledge = acknowledged),
    later: () => undefined,
    allowNew: () => undefined,
    most: 250,
    spare: 64,
    leastSpare: 4,
    total: 64,
  });
  const [first, second] = [{}, {}];
  allowance.opened(first);
  allowance.opened(second);
  for (let at = 0; at < 64; at++) ok(allowance.read(first));
  acknowledge();
});
