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

/** Handles a request of a connection once all that came with it are read. */
export function handleTogether(connection: object, handle: () => void): void {
  turns.handle(connection, handle);
}

/** Sends an answer with the others of its turn. */
export function sendTogether(requestTurn: number, send: () => void): void {
  turns.send(requestTurn, send);
}
