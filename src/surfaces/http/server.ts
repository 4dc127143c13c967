// The listening socket: HTTP/1.1 and HTTP/2 on one port, with TLS. Slow or broken clients are cut
// off by time limits, and stopping lets running requests finish within a bound.

import { once } from "node:events";
import type { EventEmitter } from "node:events";
import { constants, createSecureServer } from "node:http2";
import type { Http2Session, Http2Stream, ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../../intents/auth/request-facts.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { countedTurns, timedTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { arrivalLimits } from "./arrival-limits.ts";
import {
  closeWhenIdle,
  handshakeLimits,
  requestLimits,
  streamAllowance,
} from "./connection-limits.ts";
import { beginInTurns } from "./connection-turns.ts";
import { connectionOf, exchangeOf } from "./exchange.ts";
import type { Exchange, Request } from "./exchange.ts";
import { handled } from "./handled.ts";
import type { Outflows, Response } from "./outflow.ts";
import { answerPlainHttp } from "./plain-http.ts";
import type { StreamAllowance } from "./stream-allowance.ts";
import { streamGates } from "./stream-gate.ts";
import { countParts } from "./small-parts.ts";
import { countConnections, handleTogether, inLaterTurn, takeSmallPart } from "./turn.ts";
import { hasBody, refuseUnread } from "./unread-body.ts";

/** What listeners with and without TLS need. */
export interface ListenerInput {
  readonly host: string;
  readonly port: number;
  readonly handle: (exchange: Exchange) => Promise<void>;
  /** Told of what the handler did not catch itself. */
  readonly onError: (error: unknown, exchange: Exchange) => void;
  readonly timers: Timers;
  /** How long a client may take nothing of its answer before it is cut off. */
  readonly writeStallMs?: number;
  /** How often the pace of a request body is checked. */
  readonly bodyPaceMs?: number;
}

export interface HttpServerInput extends ListenerInput {
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  /** Who the client is by its certificate, if it showed a good one. */
  readonly certificateOf: (socket: TLSSocket) => PeerCertificate | undefined;
}

export interface SecureServer extends HttpServer {
  /** For connections from now on; open ones keep theirs. */
  readonly useCertificate: (certificate: { readonly key: string; readonly cert: string }) => void;
}

export interface HttpServer {
  readonly address: AddressInfo;
  /** Takes no new requests, lets running ones finish for a while, then closes. */
  stop(): Promise<void>;
}

const stopGraceMs = 5_000;

export async function startHttpServer(input: HttpServerInput): Promise<SecureServer> {
  const { tls } = input;
  const server = createSecureServer({
    ...tls,
    allowHTTP1: true,
    minVersion: "TLSv1.2",
    requestCert: true,
    // Whoever shows no certificate may still have a token; a bad one is no certificate.
    rejectUnauthorized: false,
    ...handshakeLimits,
  } as Parameters<typeof createSecureServer>[0]);
  Object.assign(server, requestLimits);
  const { timers } = input;
  const outflows = outflowsOf(input);
  const certificates = rememberedCertificates(input.certificateOf);
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const allowance = streamAllowance(server);
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("session", (session: ServerHttp2Session) => {
    sessions.add(session);
    allowance.opened(session);
    closeWhenIdle(session, timers);
    session.once("close", () => {
      sessions.delete(session);
      allowance.closed(session);
    });
  });
  const exchangeFor: ExchangeFor = (request, response, isHeldBack) => {
    // What a connection showed stays the same for all its requests.
    const session = (request as { stream?: Http2Stream }).stream?.session;
    const socket = (session?.socket ?? request.socket) as TLSSocket;
    const certificate = certificates.of(socket);
    return exchangeOf(request, response, { certificate, outflows, isSecure: true, isHeldBack });
  };
  takeRequests(server, { ...input, allowance }, exchangeFor);
  beginInTurns(server, timedTurns("connections", limits.connectionTurnMs));
  answerPlainHttp(server, timers);
  // At once, and not in turns.
  countConnections(server);
  await listen(server, input);
  return {
    address: server.address() as AddressInfo,
    useCertificate: ({ key, cert }) => server.setSecureContext({ ...tls, key, cert }),
    stop: () => stop(server, sockets, sessions, input.timers),
  };
}

export function outflowsOf(input: ListenerInput): Outflows {
  const { timers, writeStallMs: stallMs = limits.writeStallMs } = input;
  const { bodyPaceMs = limits.bodyPaceMs } = input;
  const turns = countedTurns("answers", limits.flowTurnBytes);
  const gates = streamGates({ later: inLaterTurn, timers });
  return { timers, stallMs, bodyPaceMs, turns, gates };
}

type ExchangeFor = (request: Request, response: Response, isHeldBack: boolean) => Exchange;

type Listener = (request: Request, response: Response) => void;

export function takeRequests(
  server: EventEmitter,
  input: ListenerInput & { readonly allowance?: StreamAllowance },
  exchangeFor: ExchangeFor,
): void {
  const take = (isHeldBack: boolean): Listener => {
    return (request, response) => {
      if (!isStreamAllowed(request, input.allowance)) return;
      const exchange = exchangeFor(request, response, isHeldBack);
      const { url } = exchange;
      const { rawHeaders } = request;
      const isTwo = "stream" in request;
      const most = isTwo ? limits.maxConnectionStreams : arrivalLimits.maxPipelined;
      const connection = connectionOf(request);
      const socket = isTwo ? undefined : connection;
      const arrived = { connection, socket, url, rawHeaders, most };
      if (hasBody(request)) endAtSmallParts(request, connection);
      const isTaken = handleTogether(arrived, () => {
        if (isTwo) countStream(request.stream, input.allowance);
        void handled(input, exchange);
      });
      if (!isTaken) refuseUnread(request);
    };
  };
  const refuse: Listener = (request, response) => {
    const message = "only the expectation 100-continue is supported\n";
    const headers = { "content-type": "text/plain; charset=utf-8" };
    exchangeFor(request, response, true).send(417, headers, message);
  };
  server.on("request", take(false));
  // Whether a body is wanted shows when it is read: until then nobody is told to send it.
  server.on("checkContinue", take(true));
  server.on("checkExpectation", refuse);
}

/** False: the connection was ended. */
function isStreamAllowed(request: Request, allowance: StreamAllowance | undefined): boolean {
  const { session } = (request as { stream?: Http2Stream }).stream ?? {};
  if (session === undefined || allowance?.read(session) !== false) return true;
  endSession(session);
  return false;
}

/** Within the event of a part, so that the parts behind it are not read any more. */
function endAtSmallParts(request: Request, connection: object): void {
  const isTwo = "stream" in request;
  countParts(isTwo ? request.stream : request, (bytes) => {
    if (takeSmallPart(connection, bytes)) return true;
    if (isTwo) endSession(request.stream.session);
    else request.socket.destroy();
    return false;
  });
}

/** Of a client that sends too much. */
function endSession(session: Http2Session | undefined): void {
  if (session === undefined || session.destroyed) return;
  session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  session.destroy();
}

function countStream(stream: Http2Stream, allowance: StreamAllowance | undefined): void {
  const { session, closed } = stream;
  if (allowance === undefined || session === undefined || closed) return;
  allowance.begun(session);
  stream.once("close", () => allowance.ended(session));
}

function rememberedCertificates(certificateOf: HttpServerInput["certificateOf"]): {
  of(socket: TLSSocket): PeerCertificate | undefined;
} {
  const known = new WeakMap<object, { readonly certificate: PeerCertificate | undefined }>();
  return {
    of: (socket) => {
      const found = known.get(socket) ?? { certificate: certificateOf(socket) };
      known.set(socket, found);
      return found.certificate;
    },
  };
}

export async function listen(
  server: Server,
  input: Pick<ListenerInput, "host" | "port">,
): Promise<void> {
  const { host, port } = input;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(unusableAddress(input, cause)));
    server.listen({ port, host, backlog: limits.listenBacklog }, resolve);
  });
}

/** Why an address cannot be listened on, and what to do. */
export function unusableAddress(
  { host, port }: Pick<ListenerInput, "host" | "port">,
  cause: NodeJS.ErrnoException,
): SetpointError {
  const isInUse = cause.code === "EADDRINUSE";
  const why = isInUse ? "is in use by another process" : "cannot be used";
  const code = isInUse ? "address.in_use" : "config.invalid";
  return new SetpointError(code, `the address ${host}:${port} ${why}`, {
    cause,
    details: { option: "listen", port },
    suggestion:
      "add --listen 127.0.0.1:8443, or another HOST:PORT (npm start -- --listen 127.0.0.1:8443)",
  });
}

/** `sessions` are those of HTTP/2. */
export async function stop(
  server: Server,
  sockets: ReadonlySet<Socket>,
  sessions: ReadonlySet<ServerHttp2Session>,
  timers: Timers,
): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const session of sessions) session.close();
  const cancel = timers.after(stopGraceMs, () => {
    for (const socket of sockets) socket.destroy();
  });
  // Idle connections of HTTP/1.1 would otherwise hold the server until they time out.
  const { closeIdleConnections } = server as { closeIdleConnections?: () => void };
  closeIdleConnections?.call(server);
  await closed;
  cancel();
}
