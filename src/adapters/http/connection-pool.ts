// The connections to one origin: a bounded number, each for one request at a time; further requests
// wait in order. The connection that was used last is used first, so that the others can end. (The
// pool of undici opens a second connection for requests that follow one another.)

import { limits } from "../../kernel/limits.ts";
import type { Connection } from "./open-connection.ts";

/** Gives a connection back, or stops waiting for one. One on which a request failed is closed. */
export type GiveBack = (isReusable: boolean) => void;

export interface ConnectionPool extends Disposable {
  readonly isIdle: boolean;
  /** Calls `use` when a connection is free. Undefined: too many requests wait already. */
  take(use: (connection: Connection) => void): GiveBack | undefined;
}

export function connectionPool(maxConnections: number, open: () => Connection): ConnectionPool {
  const free: Connection[] = [];
  const busy = new Set<Connection>();
  const waiting = new Set<(connection: Connection) => void>();
  let isDisposed = false;
  const giveBack = (connection: Connection, isReusable: boolean): void => {
    busy.delete(connection);
    if (!isReusable || isDisposed) void connection.dispatcher.destroy();
    const [next] = waiting;
    if (next === undefined) {
      if (isReusable && !isDisposed) free.push(connection);
      return;
    }
    waiting.delete(next);
    next(isReusable ? connection : open());
  };
  return {
    get isIdle() {
      return busy.size === 0;
    },
    take: (use) => {
      let taken: Connection | undefined;
      const begin = (connection: Connection): void => {
        taken = connection;
        busy.add(connection);
        use(connection);
      };
      const isRoom = busy.size < maxConnections;
      const connection = free.pop() ?? (isRoom ? open() : undefined);
      if (connection !== undefined) begin(connection);
      else if (waiting.size < limits.maxHttpWaiting) waiting.add(begin);
      else return undefined;
      return (isReusable) => {
        if (taken === undefined) waiting.delete(begin);
        else giveBack(taken, isReusable);
      };
    },
    [Symbol.dispose]: () => {
      isDisposed = true;
      for (const { dispatcher } of [...free, ...busy]) void dispatcher.destroy();
      free.length = 0;
      for (const next of waiting) {
        // The request fails on a closed connection, as those that are under way do.
        waiting.delete(next);
        const closed = open();
        void closed.dispatcher.destroy();
        next(closed);
      }
    },
  };
}
