// New connections begin in turns. A handshake takes half a millisecond of processor time, and
// hundreds of clients can connect at the same moment: without turns, all other requests would wait
// until every one of them has its keys.

import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { FairTurns } from "../../kernel/fair-turns.ts";

type Listener = (this: EventEmitter, socket: Socket) => void;

/** Delays the listeners of `connection` that the server has by now. */
export function beginInTurns(server: EventEmitter, turns: FairTurns): void {
  const listeners = server.listeners("connection") as Listener[];
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    // The client may leave while it waits.
    const drop = (): void => void socket.destroy();
    socket.on("error", drop);
    turns.add(allConnections, () => {
      socket.off("error", drop);
      if (!socket.destroyed) for (const listener of listeners) listener.call(server, socket);
      return false;
    });
  });
}

/** Nothing is known of a connection that has not begun, so they are one tenant. */
const allConnections = "new connections";
