// An application with a small HTTP API for the tests of HttpCalls: it keeps items by
// Idempotency-Key, has a health endpoint, and can fail.
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface AppRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface AppPeer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly AppRequest[];
  /** Effects, one for each Idempotency-Key. */
  readonly effects: ReadonlyMap<string, AppRequest>;
  /** The status of the next answers to writes; 0 works normally. */
  status: number;
  /** The status of /health. */
  health: number;
}

export async function startApp(): Promise<AppPeer> {
  const requests: AppRequest[] = [];
  const effects = new Map<string, AppRequest>();
  const state = { status: 0, health: 200 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const text = Buffer.concat(chunks).toString();
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      const seen = { method, url, headers, body };
      requests.push(seen);
      const send = (status: number, answer: unknown, more: Record<string, string> = {}): void => {
        response.writeHead(status, { "content-type": "application/json", ...more });
        response.end(JSON.stringify(answer));
      };
      if (url.startsWith("/health")) return send(state.health, { state: state.health });
      if (url.startsWith("/moved")) return send(302, {}, { location: "http://169.254.169.254/" });
      if (url.startsWith("/large")) return send(200, "x".repeat(100_000));
      if (state.status !== 0) return send(state.status, { error: `refused ${text}` });
      const key = String(headers["idempotency-key"] ?? "");
      if (!effects.has(key)) effects.set(key, seen);
      send(200, { id: `item-${[...effects.keys()].indexOf(key) + 1}`, secret: "answer-secret-1" });
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    effects,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  });
}
