/**
 * The requests of a tenant that behaves: gets, patches and watches of its own namespace, and
 * health checks. Requests are sent at fixed times, and the time of each counts from the moment at
 * which it was due: a server that stops for a second delays all requests of that second.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LoadConnection, requestBytes } from "./http-load.ts";
import type { LoadTarget } from "./http-load.ts";
import type { Account } from "./attack.ts";
import { percentile } from "./measure.ts";

export interface Probed {
  readonly getP99Ms: number;
  /** The slowest health check. */
  readonly livezMs: number;
  /** Requests that failed: 429, other errors, and connections that were closed. */
  readonly refused: number;
  readonly requests: number;
}

export async function probe(
  target: LoadTarget,
  { token }: Account,
  namespace: string,
  signal: AbortSignal,
): Promise<Probed> {
  const object = `/api/v1/namespaces/${namespace}/configmaps/one`;
  const watch = `/api/v1/namespaces/${namespace}/configmaps?watch=1&timeoutSeconds=1`;
  const patch = { type: "application/merge-patch+json", text: '{"data":{"more":"x"}}' };
  const every = (everyMs: number, request: Buffer): Promise<Series> =>
    sendAtTimes({ target, everyMs, request, signal });
  const [gets, health, patches, watches] = await Promise.all([
    every(20, requestBytes("GET", object, token)),
    every(50, requestBytes("GET", "/livez", token)),
    every(100, requestBytes("PATCH", object, token, patch)),
    every(2_000, requestBytes("GET", watch, token)),
  ]);
  const all = [gets, health, patches, watches];
  return {
    getP99Ms: percentile(gets.timesMs, 99),
    livezMs: Math.max(...health.timesMs),
    refused: all.reduce((sum, { refused }) => sum + refused, 0),
    requests: all.reduce((sum, { timesMs, refused }) => sum + timesMs.length + refused, 0),
  };
}

interface Series {
  readonly timesMs: number[];
  refused: number;
}

interface Schedule {
  readonly target: LoadTarget;
  readonly everyMs: number;
  readonly request: Buffer;
  readonly signal: AbortSignal;
}

async function sendAtTimes({ target, everyMs, request, signal }: Schedule): Promise<Series> {
  const series: Series = { timesMs: [], refused: 0 };
  let connection = await LoadConnection.open(target);
  const start = performance.now();
  for (let number = 0; !signal.aborted; number += 1) {
    const dueMs = start + number * everyMs;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const status = await statusOf(connection, request);
    if (status === 200) series.timesMs.push(performance.now() - dueMs);
    else series.refused += 1;
    if (status !== undefined) continue;
    connection[Symbol.dispose]();
    connection = await LoadConnection.open(target);
  }
  connection[Symbol.dispose]();
  return series;
}

/** A request without an answer by then counts as refused. */
const answerWithinMs = 5_000;

/** Undefined when the connection has failed. */
async function statusOf(connection: LoadConnection, request: Buffer): Promise<number | undefined> {
  return await new Promise<number | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), answerWithinMs);
    connection.ask(
      request,
      ({ status }) => {
        clearTimeout(timer);
        resolve(status);
      },
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
    );
  });
}
