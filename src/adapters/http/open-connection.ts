// One connection of undici: opened with the trust of the client, to the address that was judged.

import { createRequire } from "node:module";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import type { Client, buildConnector } from "undici";
import { limits } from "../../kernel/limits.ts";
import { bareHost, judgingLookup, refuseLiteral, tlsOptions } from "./sockets.ts";
import type { HttpClientOptions, HttpRequest } from "./port.ts";

/** For one request at a time; its socket is opened with the first. */
export interface Connection {
  readonly dispatcher: Client;
  readonly origin: string;
  readonly isTls: boolean;
  readonly observed: Observed;
}

/** What is known of the newest socket of a connection. */
interface Observed {
  /** TLS 1.3 was agreed on. */
  isTls13: boolean;
  /** The first error: after one of TLS, undici reports that the other side closed. */
  error: Error | undefined;
}

interface Parts {
  readonly ClientClass: typeof Client;
  readonly connector: typeof buildConnector;
}

let parts: Parts | undefined;

const load = createRequire(import.meta.url);

/**
 * Loads undici with the first request, since many processes never make one. Only the needed files
 * are loaded: the whole package also has fetch, caches and mocks, 20 ms and 14 MB more.
 */
export function loadConnections(): void {
  parts ??= {
    ClientClass: load("undici/lib/dispatcher/client.js") as typeof Client,
    connector: load("undici/lib/core/connect.js") as typeof buildConnector,
  };
}

export function openConnection(request: HttpRequest, options: HttpClientOptions): Connection {
  if (parts === undefined) throw new Error("loadConnections comes first");
  const observed: Observed = { isTls13: false, error: undefined };
  const origin = originOf(request);
  const dispatcher = new parts.ClientClass(origin, {
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: limits.httpKeepAliveMs,
    keepAliveMaxTimeout: limits.maxHttpKeepAliveMs,
    // Times are limited by timers of our own, which tests can move.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: connectorFor(parts, request, options, observed),
  });
  const isTls = origin.startsWith("https:");
  return { dispatcher, origin, isTls, observed };
}

/** Where the connection leads. */
export function originOf({ place, connectTo }: HttpRequest): string {
  if (place.kind === "socket") return "http://localhost";
  if (connectTo === undefined) return place.origin;
  const { protocol } = new URL(place.origin);
  const host = isIP(connectTo.host) === 6 ? `[${connectTo.host}]` : connectTo.host;
  return `${protocol}//${host}:${connectTo.port}`;
}

function connectorFor(
  { connector }: Parts,
  { place }: HttpRequest,
  { tls, refuseAddress }: HttpClientOptions,
  observed: Observed,
): buildConnector.connector {
  const named = place.kind === "origin" ? bareHost(new URL(place.origin).hostname) : "";
  const serverName = tls?.serverName ?? (isIP(named) === 0 ? named : "");
  const base = connector({
    ...tlsOptions(tls),
    timeout: limits.httpConnectTimeoutMs,
    allowH2: false,
    ...(place.kind === "socket" ? { socketPath: place.path } : {}),
    ...(refuseAddress === undefined ? {} : { lookup: judgingLookup(refuseAddress) }),
  });
  // undici would verify the name of the Host header.
  return ({ servername: _ofHeader, host: _host, ...to }, callback) => {
    const hostname = bareHost(to.hostname);
    try {
      if (place.kind === "origin") refuseLiteral(refuseAddress, hostname);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    base({ ...to, hostname, servername: serverName }, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      observed.isTls13 = socket instanceof TLSSocket && socket.getProtocol() === "TLSv1.3";
      observed.error = undefined;
      socket.once("error", (first: Error) => (observed.error = first));
      callback(null, socket);
    });
  };
}
