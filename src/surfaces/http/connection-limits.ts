// The limits of a connection, before there is a request: the time for the handshake and for the
// head and the body of a request, the size of a head, the number of streams, and idle time.

import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { arrivalLimits } from "./arrival-limits.ts";
import { StreamAllowance } from "./stream-allowance.ts";
import { inLaterTurn } from "./turn.ts";

/** Options of a new server. */
export const handshakeLimits = {
  handshakeTimeout: limits.handshakeTimeoutMs,
  maxHeaderSize: limits.maxHeaderBytes,
} as const;

/** Properties of a server that HTTP/1.1 reads for each request. */
export const requestLimits = {
  headersTimeout: limits.headersTimeoutMs,
  requestTimeout: limits.requestTimeoutMs,
  keepAliveTimeout: 90_000,
} as const;

/** Closes an HTTP/2 connection without streams after a while; a quiet watch is a stream. */
export function closeWhenIdle(session: ServerHttp2Session, timers: Timers): void {
  let streams = 0;
  const wait = (): (() => void) => timers.after(limits.idleConnectionMs, () => session.close());
  let cancel = wait();
  session.once("close", () => cancel());
  session.on("stream", (stream) => {
    cancel();
    streams += 1;
    stream.once("close", () => {
      streams -= 1;
      if (streams === 0 && !session.destroyed) cancel = wait();
    });
  });
}

/** Which streams the HTTP/2 connections of a server may open. */
export function streamAllowance(server: Http2SecureServer): StreamAllowance {
  return new StreamAllowance({
    allow: (session, streams, acknowledged) => {
      const { destroyed, closed } = session as ServerHttp2Session;
      if (destroyed || closed) return;
      (session as ServerHttp2Session).settings({ maxConcurrentStreams: streams }, acknowledged);
    },
    later: inLaterTurn,
    allowNew: (streams) => server.updateSettings({ maxConcurrentStreams: streams }),
    most: limits.maxConnectionStreams,
    spare: arrivalLimits.spareStreams,
    leastSpare: arrivalLimits.leastSpareStreams,
    total: arrivalLimits.maxSpareStreams,
  });
}
