/**
 * One running server: the store and what answers for it. Started whole or not at all, and stopped
 * in the reverse order: not ready, no new connections, accepted work answered, store closed.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SetpointError } from "../kernel/errors.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";
import { storeLabel } from "./config.ts";
import type { ServeConfig } from "./config.ts";
import { healthHandler } from "./health.ts";
import { openStore } from "./open-store.ts";

export interface RunningServer {
  readonly url: string;
  readonly store: Store;
  stop(): Promise<void>;
}

export async function startServer(config: ServeConfig, log: Logger): Promise<RunningServer> {
  const store = await openStore(config, { access: "write" });
  let isStopping = false;
  const handler = healthHandler({ store, timers: systemTimers, isStopping: () => isStopping });
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (...exchange) => {
    void handler(...exchange);
  });
  try {
    await listen(server, config.listen);
  } catch (error) {
    await store.close();
    throw error;
  }
  const url = addressUrl(server);
  for (const hazard of await store.hazards()) log.warn({ hazard }, "durability at risk");
  log.info({ url, store: storeLabel(config.store) }, "server ready");
  return {
    url,
    store,
    stop: async () => {
      isStopping = true;
      await closeServer(server);
      await store.close();
      log.info({}, "server stopped");
    },
  };
}

async function listen(server: Server, to: ServeConfig["listen"]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "is in use by another process" : "cannot be used";
      const message = `the address ${to.host}:${to.port} ${why}`;
      const suggestion = "choose another with --listen HOST:PORT";
      reject(new SetpointError("config.invalid", message, { cause, suggestion }));
    });
    server.listen(to.port, to.host, resolve);
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const force = systemTimers.after(2_000, () => server.closeAllConnections());
  await closed;
  force();
}

function addressUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
