// Many clients that connect while the server is busy, as all agents of a fleet do after a restart.
import { equal } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { startKubeServer } from "./server.ts";

const clients = 1_000;
const limitMs = 30_000;

/** Connects and counts; the first value is how many are connected. */
const connecting = `
  const { connect } = require("node:net");
  const { workerData: { port, clients, connected } } = require("node:worker_threads");
  const count = new Int32Array(connected);
  for (let at = 0; at < clients; at += 1) {
    const socket = connect(port, "127.0.0.1", () => {
      Atomics.add(count, 0, 1);
      Atomics.notify(count, 0);
    });
    socket.on("error", () => undefined);
  }
`;

test("1,000 clients connect while the server does something else", async () => {
  await using server = await startKubeServer();
  const connected = new SharedArrayBuffer(4);
  const workerData = { port: Number(new URL(server.url).port), clients, connected };
  const worker = new Worker(connecting, { eval: true, workerData });
  const count = new Int32Array(connected);
  const untilMs = performance.now() + limitMs;
  const wanted = Math.min(clients, longestQueue());
  // This thread accepts no connection meanwhile: the system keeps all of them.
  for (let seen = 0; seen < wanted && performance.now() < untilMs; seen = Atomics.load(count, 0)) {
    Atomics.wait(count, 0, seen, untilMs - performance.now());
  }
  const seen = Atomics.load(count, 0);
  await worker.terminate();
  equal(seen >= wanted, true, `${seen} of ${wanted}`);
  equal((await server.request("GET", "/livez")).status, 200);
});

/** What the system allows; 128 where it does not say so. */
function longestQueue(): number {
  const file = "/proc/sys/net/core/somaxconn";
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 128;
}
