// Bodies that nobody reads, as those of requests that are refused for who sends them. A small one
// is passed over, so that the connection can be used again. For a larger one the connection ends,
// yet not at once: a client that is still sending would lose the answer with it. So what comes is
// thrown away for a short time and a bounded number of bytes. On HTTP/2 only the stream ends.

import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";

/** Of a request whose head was just read. */
export function hasBody(request: IncomingMessage | Http2ServerRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
}

/** Whether more of the request may come than was taken. */
export function isUnread(request: IncomingMessage | Http2ServerRequest): boolean {
  if (!("stream" in request)) return !request.complete;
  return !request.stream.endAfterHeaders && !request.readableEnded;
}

/** Whether what is left is so little that the server passes over it by itself. */
export function isSoonOver({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) <= limits.maxPassedBodyBytes;
}

/** Ends the answer, and with it the connection, once the client has had the time to read it. */
export function endLater(request: IncomingMessage, response: ServerResponse, timers: Timers): void {
  let bytes = 0;
  const end = (): void => {
    cancel();
    request.off("data", count);
    response.end();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limits.maxLingerBytes) end();
  };
  const cancel = timers.after(limits.lingerMs, end);
  response.once("close", cancel);
  request.once("end", end);
  request.on("data", count);
  // Reading may have been stopped where the body became too large.
  request.resume();
}

/**
 * Tells a client of HTTP/2 that still sends not to. At once it could overtake the answer, and many
 * clients would then throw that away; until then the window of the stream bounds what is sent.
 */
export function stopSending({ stream }: Http2ServerResponse, timers: Timers): void {
  stream.once("finish", () => {
    const close = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
    stream.once("close", timers.after(limits.lingerMs, close));
  });
}

/**
 * Refuses a request of a client that sends more than the server begins. On HTTP/1.1 an answer would
 * have to wait behind those of the earlier requests, so the connection ends. On HTTP/2 it has no
 * body: that takes a tenth of the time of an error of the stream.
 */
export function refuseUnread(request: IncomingMessage | Http2ServerRequest): void {
  if (!("stream" in request)) {
    request.socket.destroy();
    return;
  }
  const { stream } = request;
  if (stream.destroyed) return;
  stream.respond({ ":status": 429, "retry-after": "1" }, { endStream: true });
  if (!stream.endAfterHeaders) stream.close(constants.NGHTTP2_NO_ERROR);
}
