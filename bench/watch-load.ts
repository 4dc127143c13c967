/**
 * Many watchers of one collection over TLS while somebody writes: how long a change takes to reach
 * them, and whether all of them get all of it. Frames are counted in every watcher; times are taken
 * in a few, because reading each frame would measure the reader.
 */
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { LoadConnection, requestBytes } from "./http-load.ts";
import type { LoadTarget } from "./http-load.ts";
import { collection, mergePatch } from "./kube-objects.ts";

export interface WatchLoad {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Events that arrived, as a part of those that should have. */
  readonly delivered: number;
  readonly cutOff: number;
}

interface WatchInput {
  readonly target: LoadTarget;
  readonly token: string;
  readonly watchers: number;
  readonly seconds: number;
  readonly writesPerSecond: number;
  /** Of an object that exists. */
  readonly name: string;
}

const frameStart = Buffer.from('{"type":"MODIFIED"');
const sizeMark = Buffer.from('"size":');
const firstSize = 1_000_000;
const sampled = 20;

export async function watchLoad(input: WatchInput): Promise<WatchLoad> {
  const { target, token, watchers, seconds, writesPerSecond, name } = input;
  const writes = seconds * writesPerSecond;
  const sentAt = new Float64Array(writes);
  const latencies: number[] = [];
  const count = { received: 0 };
  let cutOff = 0;
  const request = requestBytes(
    "GET",
    `${collection}?watch=true&resourceVersion=${await headOf(input)}`,
    token,
  );
  const open = await Promise.all(
    Array.from({ length: watchers }, async (_, index) => {
      const socket = await openWatch(target, request);
      socket.on("close", () => (cutOff += 1));
      socket.on("data", (chunk: Buffer) => {
        count.received += countOf(chunk, frameStart);
        if (index < sampled) readTimes(chunk, sentAt, latencies);
      });
      return socket;
    }),
  );
  using writer = await LoadConnection.open(target);
  const start = performance.now();
  for (let i = 0; i < writes; i++) {
    const dueMs = start + (i * 1_000) / writesPerSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    sentAt[i] = performance.now();
    const patch = requestBytes("PATCH", `${collection}/${name}`, token, mergePatch(firstSize + i));
    await new Promise((resolve, reject) => {
      writer.ask(patch, resolve, reject);
    });
  }
  const wanted = writes * watchers;
  await until(() => count.received >= wanted);
  const lost = cutOff;
  for (const socket of open) socket.destroy();
  latencies.sort((a, b) => a - b);
  return {
    p50Ms: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    delivered: count.received / wanted,
    cutOff: lost,
  };
}

/** Late ones may still come, for a while. */
async function until(isDone: () => boolean): Promise<void> {
  for (let waited = 0; !isDone() && waited < 5_000; waited += 50) await sleep(50);
}

/**
 * Of the collection, as for an informer: from that of an object on, all that happened since its
 * last change would be told first, and the writes would wait behind it.
 */
async function headOf({ target, token }: WatchInput): Promise<string> {
  using connection = await LoadConnection.open(target);
  const request = requestBytes("GET", `${collection}?limit=1`, token);
  const { body } = await new Promise<{ readonly body: Buffer }>((resolve, reject) => {
    connection.ask(request, resolve, reject);
  });
  return /"resourceVersion":"(\d+)"/.exec(body.toString("latin1"))?.[1] ?? "0";
}

async function openWatch({ host, port, ca }: LoadTarget, request: Buffer): Promise<TLSSocket> {
  const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] });
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => socket.destroy());
  socket.write(request);
  await new Promise((resolve) => {
    socket.once("data", resolve);
  });
  return socket;
}

function countOf(chunk: Buffer, mark: Buffer): number {
  let count = 0;
  let at = chunk.indexOf(mark);
  while (at >= 0) {
    count += 1;
    at = chunk.indexOf(mark, at + mark.length);
  }
  return count;
}

/** A chunk may end within a frame; such a frame is left out of the times. */
function readTimes(chunk: Buffer, sentAt: Float64Array, latencies: number[]): void {
  const now = performance.now();
  for (let at = chunk.indexOf(sizeMark); at >= 0; at = chunk.indexOf(sizeMark, at + 1)) {
    const text = chunk.toString("latin1", at + sizeMark.length, at + sizeMark.length + 8);
    const number = Number.parseInt(text, 10) - firstSize;
    const sent = sentAt[number];
    if (sent !== undefined && sent > 0) latencies.push(now - sent);
  }
}
