// The connections of one client: a pool for each origin, and single connections for requests that
// want their own. The number of origins is bounded; the one that was used longest ago is closed.

import { limits } from "../../kernel/limits.ts";
import { connectionPool } from "./connection-pool.ts";
import type { ConnectionPool, GiveBack } from "./connection-pool.ts";
import { openConnection, originOf } from "./open-connection.ts";
import type { Connection } from "./open-connection.ts";
import type { HttpClientOptions, HttpRequest } from "./port.ts";

export interface Connections extends Disposable {
  /**
   * Calls `use` when a connection is free, which may be at once. Undefined: too many requests wait
   * already.
   */
  take(request: HttpRequest, use: (connection: Connection) => void): GiveBack | undefined;
}

export function openConnections(options: HttpClientOptions): Connections {
  const { maxConnections = limits.maxHttpConnections } = options;
  const pools = new Map<string, ConnectionPool>();
  let isDisposed = false;
  const poolFor = (request: HttpRequest): ConnectionPool => {
    const key = keyOf(request);
    const pool =
      pools.get(key) ?? connectionPool(maxConnections, () => openConnection(request, options));
    // The last pool of the map is the one that was used last.
    pools.delete(key);
    pools.set(key, pool);
    if (pools.size > limits.maxHttpOrigins) closeOldest(pools);
    return pool;
  };
  return {
    take: (request, use) => {
      if (request.connection !== "own" && !isDisposed) return poolFor(request).take(use);
      const connection = openConnection(request, options);
      use(connection);
      return () => void connection.dispatcher.destroy();
    },
    [Symbol.dispose]: () => {
      isDisposed = true;
      for (const pool of pools.values()) pool[Symbol.dispose]();
      pools.clear();
    },
  };
}

/** Pools with requests under way stay: there are no more of them than requests. */
function closeOldest(pools: Map<string, ConnectionPool>): void {
  const idle = [...pools].slice(0, -1).find(([, { isIdle }]) => isIdle);
  if (idle === undefined) return;
  const [key, pool] = idle;
  pool[Symbol.dispose]();
  pools.delete(key);
}

function keyOf(request: HttpRequest): string {
  const { place } = request;
  return place.kind === "socket" ? `unix:${place.path}` : `${place.origin} ${originOf(request)}`;
}
