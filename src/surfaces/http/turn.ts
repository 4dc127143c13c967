// The turns of requests in this process, one object for its one event loop: see request-turns.ts.

import { arrivalLimits } from "./arrival-limits.ts";
import { ReadTurns, handleOfSocket } from "./read-turns.ts";
import { RequestTurns } from "./request-turns.ts";

const turns = new RequestTurns({ later: setImmediate, nowMs: () => performance.now() });

const reads = new ReadTurns({
  later: setImmediate,
  nowMs: () => performance.now(),
  turnMs: arrivalLimits.readTurnMs,
  recentMs: arrivalLimits.recentMs,
  handleOf: handleOfSocket,
});

export function currentTurn(): number {
  return turns.number;
}

/** After the requests that have arrived by then. */
export function inLaterTurn(run: () => void): void {
  setImmediate(run);
}

/** What a request came with. */
interface Arrived {
  readonly connection: object;
  /** Of HTTP/1.1. An HTTP/2 session reads its socket itself, and nothing else may start that. */
  readonly socket: object | undefined;
  readonly url: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** Requests of the connection that may wait. */
  readonly most: number;
}

/**
 * Handles a request of a connection once all that came with it are read. False: it is refused,
 * because too many wait.
 */
export function handleTogether(
  { connection, socket, url, rawHeaders, most }: Arrived,
  handle: () => void,
): boolean {
  const group = groupOf(connection, url);
  if (socket !== undefined) reads.took(connection, socket, group);
  let bytes = arrivalLimits.requestBytes + url.length;
  for (const text of rawHeaders) bytes += text.length;
  return turns.handle(group, { connection, bytes, most, handle });
}

/**
 * The tenant of a request is known only when it is identified, which is most of the work of a small
 * one. So the last tenant of its connection is assumed. Connections that have had no request yet
 * are one group: hundreds of them at once delay each other alone.
 */
function groupOf(connection: object, url: string): string {
  return healthUrl.test(url) ? "health" : (tenants.get(connection) ?? "new");
}

/** These requests are answered without any work, and mostly come on a connection of their own. */
const healthUrl = /^\/(?:livez|readyz|healthz)(?:$|\?)/;

const tenants = new WeakMap<object, string>();

/** States the tenant of the last request of a connection. */
export function connectionTenant(connection: object, tenant: string): void {
  if (tenants.get(connection) !== tenant) tenants.set(connection, tenant);
}

/** Sends an answer with the others of its turn. */
export function sendTogether(requestTurn: number, send: () => void): void {
  turns.send(requestTurn, send);
}
