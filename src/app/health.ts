/**
 * The health endpoints. `/livez` says that the process turns; `/readyz` and `/healthz` that the
 * store answers, asked anew each time and bounded, so that a load balancer learns the truth now.
 * Anybody may ask, with or without credentials.
 */
import { isSetpointError } from "../kernel/errors.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { PathHandler } from "../surfaces/kube/api.ts";

const answerWithinMs = 2_000;
const paths = new Set(["/livez", "/readyz", "/healthz"]);

export interface HealthOptions {
  readonly store: Pick<Store, "get">;
  readonly timers: Timers;
  /** Aborted while draining: still alive, no longer ready. */
  readonly stopping: AbortSignal;
}

export function isHealthPath(path: string): boolean {
  return paths.has(trimmed(path));
}

export function healthPaths(options: HealthOptions): PathHandler {
  return async (exchange, { path }) => {
    if (!isHealthPath(path)) return false;
    const isRead = exchange.method === "GET" || exchange.method === "HEAD";
    const { status, text } = isRead
      ? await answer(options, trimmed(path))
      : { status: 405, text: "method not allowed: use GET" };
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff",
    };
    exchange.send(status, headers, text);
    return true;
  };
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function answer(options: HealthOptions, path: string): Promise<Reply> {
  if (path === "/livez") return { status: 200, text: "ok" };
  if (options.stopping.aborted) return { status: 503, text: "stopping" };
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

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
