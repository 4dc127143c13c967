// A small REST service in the process of the test, for what no service that we can start offers:
// objects at /things/NAME, over HTTP or over TLS that may ask who is asking. The test owns it: what
// others change there is changed in `objects`.
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import type { Json, JsonObject } from "../../src/kernel/json.ts";

export interface ThingsTls {
  readonly key: string;
  readonly certificate: string;
  /** Who asks has to have a certificate of this authority. */
  readonly clientCa?: string;
}

export interface Things extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  /** By name. */
  readonly objects: Map<string, JsonObject>;
  /** The names in the certificates of those who asked. */
  readonly askers: Set<string>;
  /** Requests so far, as "METHOD /path". */
  readonly log: string[];
}

export async function startThings(tls?: ThingsTls): Promise<Things> {
  const objects = new Map<string, JsonObject>();
  const askers = new Set<string>();
  const log: string[] = [];
  const listener: RequestListener = (request, response) => {
    if (request.socket instanceof TLSSocket) {
      const name = request.socket.getPeerCertificate().subject?.CN;
      for (const each of [name ?? []].flat()) askers.add(each);
    }
    log.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answerTo(objects, request, Buffer.concat(chunks).toString("utf8"));
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
    });
  };
  const server = tls === undefined ? createServer(listener) : tlsServer(tls, listener);
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    server,
    objects,
    askers,
    log,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function tlsServer({ key, certificate, clientCa }: ThingsTls, listener: RequestListener): Server {
  const asks = { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const options = { key, cert: certificate, ...(clientCa === undefined ? {} : asks) };
  return createTlsServer(options, listener);
}

interface Answer {
  readonly status: number;
  readonly body?: Json;
}

function answerTo(
  objects: Map<string, JsonObject>,
  { method, url = "" }: IncomingMessage,
  body: string,
): Answer {
  const [, name = ""] = /^\/things\/([^/?]+)$/.exec(url) ?? [];
  const found = objects.get(name);
  if (method === "PUT" && name !== "") {
    const next = { ...(JSON.parse(body) as JsonObject), name };
    objects.set(name, next);
    return { status: found === undefined ? 201 : 200, body: next };
  }
  if (found === undefined) return { status: 404, body: { error: "there is no such thing" } };
  if (method === "DELETE") {
    objects.delete(name);
    return { status: 204 };
  }
  return { status: 200, body: found };
}
