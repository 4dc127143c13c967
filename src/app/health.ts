/**
 * The health endpoints. `/livez` says that the process turns; `/readyz` and `/healthz` that the
 * store answers, asked anew each time and bounded, so that a load balancer learns the truth now.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isSetpointError } from "../kernel/errors.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";

const answerWithinMs = 2_000;

export interface HealthOptions {
  readonly store: Store;
  readonly timers: Timers;
  /** Draining: still alive, no longer ready. */
  readonly isStopping: () => boolean;
}

export function healthHandler(options: HealthOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, text } = await answer(options, request);
    response.writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.end(`${text}\n`);
  };
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function answer(options: HealthOptions, request: IncomingMessage): Promise<Reply> {
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path !== "/livez" && path !== "/readyz" && path !== "/healthz") {
    return { status: 404, text: "not found: this server answers /livez, /readyz and /healthz" };
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { status: 405, text: "method not allowed: use GET" };
  }
  if (path === "/livez") return { status: 200, text: "ok" };
  if (options.isStopping()) return { status: 503, text: "stopping" };
  return await storeHealth(options);
}

async function storeHealth({ store, timers }: HealthOptions): Promise<Reply> {
  const late = new AbortController();
  const timeout = timers.sleep(answerWithinMs, late.signal).then(
    (): Reply => ({ status: 503, text: `store: no answer within ${answerWithinMs} ms` }),
    (): Reply => ({ status: 503, text: "store: not asked" }),
  );
  // Any key will do: what matters is that the database is asked, and that it costs nothing.
  const asked = store.get({ kind: "health", namespace: "", name: "ready" }).then(
    (): Reply => ({ status: 200, text: "ok" }),
    (error: unknown): Reply => ({
      status: 503,
      text: `store: ${isSetpointError(error) ? `${error.code}: ${error.message}` : "failed"}`,
    }),
  );
  try {
    return await Promise.race([asked, timeout]);
  } finally {
    late.abort();
  }
}
