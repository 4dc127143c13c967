// Follows a WebSocket on the library ws. Pings find out whether a silent server is still there; the
// first reason to end is the result.

import { connect } from "node:net";
import type { ClientOptions, RawData, WebSocket } from "ws";
import type { Timers } from "../../kernel/timers.ts";
import { failure, failureFrom } from "./failures.ts";
import { bareHost, judgingLookup, refuseLiteral, tlsOptions } from "./sockets.ts";
import type {
  HttpClientOptions,
  HttpFailure,
  WebSocketEnd,
  WebSocketListener,
  WebSocketRequest,
} from "./port.ts";

/** How long the server may take to close a connection that both sides have ended. */
const closeMs = 2_000;
/** Pings in a row without any sign of life. */
const maxUnansweredPings = 2;

export async function followWebSocket(
  request: WebSocketRequest,
  listener: WebSocketListener,
  options: HttpClientOptions,
  timers: Timers,
): Promise<WebSocketEnd> {
  const { signal } = request;
  if (signal?.aborted === true) return { kind: "aborted" };
  const ended = Promise.withResolvers<WebSocketEnd>();
  const end = (why: WebSocketEnd): void => ended.resolve(why);
  const onAbort = (): void => end({ kind: "aborted" });
  let socket: WebSocket;
  try {
    socket = await openSocket(request, options);
  } catch (error) {
    return connectionFailure(request, error);
  }
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const cancelOpening = timers.after(request.openMs, () => end({ kind: "timeout" }));
  let stopPings = (): void => undefined;
  listen(socket, request, listener, end);
  socket.on("open", () => {
    cancelOpening();
    stopPings = keepAlive(socket, request.pingMs, timers, end);
    listener.opened();
  });
  const why = await ended.promise;
  cancelOpening();
  stopPings();
  signal?.removeEventListener("abort", onAbort);
  // From here on nothing that it reports matters, but an error without a listener would be thrown.
  socket.removeAllListeners();
  socket.on("error", () => undefined);
  socket.terminate();
  return why;
}

async function openSocket(
  { place, target, headers = {}, maxMessageBytes }: WebSocketRequest,
  { tls, refuseAddress }: HttpClientOptions,
): Promise<WebSocket> {
  const { WebSocket: Socket } = await import("ws");
  const origin = place.kind === "socket" ? "http://localhost" : place.origin;
  if (place.kind === "origin") refuseLiteral(refuseAddress, bareHost(new URL(origin).hostname));
  // The types do not know `closeTimeout` yet.
  const settings: ClientOptions & { readonly closeTimeout: number } = {
    headers: { ...headers },
    perMessageDeflate: false,
    followRedirects: false,
    autoPong: false,
    maxPayload: maxMessageBytes,
    closeTimeout: closeMs,
    ...tlsOptions(tls),
    ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(refuseAddress === undefined ? {} : { lookup: judgingLookup(refuseAddress) }),
    ...(place.kind === "socket" ? { createConnection: () => connect(place.path) } : {}),
  };
  return new Socket(`${origin.replace(/^http/, "ws")}${target}`, settings);
}

function listen(
  socket: WebSocket,
  request: WebSocketRequest,
  listener: WebSocketListener,
  end: (why: WebSocketEnd) => void,
): void {
  let isUpgraded = false;
  let isOpen = false;
  socket.on("upgrade", () => (isUpgraded = true));
  socket.on("open", () => (isOpen = true));
  socket.on("unexpected-response", (_, { statusCode = 0 }) => {
    end({ kind: "status", status: statusCode });
  });
  socket.on("message", (data) => {
    listener.message(textOf(data));
  });
  socket.on("ping", (data) => {
    socket.pong(data);
    if (socket.bufferedAmount > request.maxUnsentBytes) end({ kind: "unread" });
  });
  socket.on("error", (error) => {
    if (isOpen) return end(protocolEnd(error));
    end(isUpgraded ? { kind: "notWebSocket" } : connectionFailure(request, error));
  });
  socket.on("close", (code) => end(code === abnormal ? broken : { kind: "closed" }));
}

/** The code that ws reports when a connection ends without a closing frame. */
const abnormal = 1_006;
const broken: HttpFailure = {
  ...failure("connection", "body", "socket hang up"),
  code: "ECONNRESET",
};

const tooLargeCodes = new Set([
  "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH",
  "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH",
  "WS_ERR_TOO_MANY_BUFFERED_PARTS",
]);

function protocolEnd(error: Error): WebSocketEnd {
  const code = "code" in error ? String(error.code) : "";
  if (tooLargeCodes.has(code)) return { kind: "tooLarge" };
  return code.startsWith("WS_ERR_") ? { kind: "invalid", message: error.message } : broken;
}

function connectionFailure({ place }: WebSocketRequest, error: unknown): HttpFailure {
  const isTls = place.kind === "origin" && place.origin.startsWith("https:");
  return failureFrom(error, { phase: "connecting", isTls, isTls13: false });
}

function keepAlive(
  socket: WebSocket,
  pingMs: number,
  timers: Timers,
  end: (why: WebSocketEnd) => void,
): () => void {
  let unanswered = 0;
  const isAlive = (): void => {
    unanswered = 0;
  };
  for (const event of ["message", "ping", "pong"] as const) socket.on(event, isAlive);
  let cancel = (): void => undefined;
  const beat = (): void => {
    cancel = timers.after(pingMs, () => {
      if (unanswered >= maxUnansweredPings) return end({ kind: "silent" });
      unanswered += 1;
      socket.ping();
      beat();
    });
  };
  beat();
  return () => cancel();
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}
