// The turns of requests in this process, one object for its one event loop: see request-turns.ts.

import { RequestTurns } from "./request-turns.ts";

const turns = new RequestTurns({ later: setImmediate, nowMs: () => performance.now() });

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
  readonly url: string;
}

/** Handles a request of a connection once all that came with it are read. */
export function handleTogether({ connection, url }: Arrived, handle: () => void): void {
  turns.handle(groupOf(connection, url), connection, handle);
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
