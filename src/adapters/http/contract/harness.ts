/** A server on the loopback interface for the suite: each test says how it answers. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpRequest, OpenHttp } from "../port.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export interface TestServer extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** Every connection that was opened. */
  readonly sockets: Socket[];
  readonly seen: IncomingMessage[];
  onUpgrade(handler: (request: IncomingMessage, socket: Socket) => void): void;
}

export async function serve(handler: Handler, socketPath?: string): Promise<TestServer> {
  const sockets: Socket[] = [];
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handler(request, response, Buffer.concat(chunks)));
  });
  server.on("connection", (socket) => sockets.push(socket.on("error", () => undefined)));
  if (socketPath === undefined) server.listen(0, "127.0.0.1");
  else server.listen(socketPath);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    sockets,
    seen,
    onUpgrade: (handle) => {
      server.on("upgrade", (request, socket) => handle(request, socket as Socket));
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

export function get(server: Pick<TestServer, "origin">, more: Partial<HttpRequest>): HttpRequest {
  return {
    place: { kind: "origin", origin: server.origin },
    method: "GET",
    target: "/",
    timeouts: { totalMs: 60_000 },
    maxBytes: 1_048_576,
    ...more,
  };
}

export type { OpenHttp };
