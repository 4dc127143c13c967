// The turns of requests in this process, one object for its one event loop: see request-turns.ts.

import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { arrivalLimits } from "./arrival-limits.ts";
import { ConnectionShares } from "./connection-shares.ts";
import { ReadTurns, handleOfSocket } from "./read-turns.ts";
import { RequestTurns } from "./request-turns.ts";
import { SmallParts } from "./small-parts.ts";

const turns = new RequestTurns({ later: setImmediate, nowMs: () => performance.now() });

const reads = new ReadTurns({
  later: setImmediate,
  nowMs: () => performance.now(),
  turnMs: arrivalLimits.readTurnMs,
  recentMs: arrivalLimits.recentMs,
  handleOf: handleOfSocket,
});

const connections = new ConnectionShares({
  most: arrivalLimits.maxConnections,
  mostNew: arrivalLimits.maxNewConnections,
});

const smallParts = new SmallParts({ later: setImmediate, nowMs: () => performance.now() });

/** A part of a body was read. False: its connection sends too many small ones. */
export function takeSmallPart(connection: object, bytes: number): boolean {
  return smallParts.take(connection, bytes);
}

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

/** States the tenant of the last request of a connection. False: it has too many connections. */
export function connectionTenant(connection: object, tenant: string): boolean {
  if (tenants.get(connection) === tenant) return true;
  tenants.set(connection, tenant);
  const name = nameOf(connection);
  return name === undefined || connections.belongs(name, tenant);
}

/** Counts the connections of a server until they close; beyond their limits some are ended. */
export function countConnections(server: EventEmitter): void {
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    if (name === undefined) return;
    connections.opened(name, () => socket.destroy());
    socket.once("close", () => connections.closed(name));
  });
}

/** A connection with TLS and the one below it have the same name. */
function nameOf(connection: object): string | undefined {
  // The socket of a session that has ended cannot be used.
  if ((connection as Socket).destroyed) return undefined;
  const { socket = connection } = connection as { socket?: object };
  const { remoteAddress, remotePort, localPort } = socket as Socket;
  if (remoteAddress === undefined) return undefined;
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

/** Sends an answer with the others of its turn. */
export function sendTogether(requestTurn: number, send: () => void): void {
  turns.send(requestTurn, send);
}
