// Reads the body of a request, over HTTP/1.1 or HTTP/2 alike, within three limits: its size, the
// time for all of it, and the pace. A client that sends too slowly receives 408, so that it cannot
// hold what the server keeps for a request for as long as it likes.

import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { isUnread } from "./unread-body.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  readonly timers: Timers;
  /** How often the pace is checked. */
  readonly paceMs: number;
  /** Called for each part before it is kept; an error that it throws ends the reading. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export function readBody(
  request: IncomingMessage | Http2ServerRequest,
  bounds: BodyLimits,
): Promise<Buffer> {
  // It waited for its turn, and no event would report that the client has left.
  if (hasLeft(request)) return Promise.reject(clientGone(undefined));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let chunks: Buffer[] = [];
  let bytes = 0;
  const stopPace = isUnread(request) ? keepPace(bounds, () => bytes, refuse) : undefined;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bounds.maxBytes) {
      refuse(bounds.tooLarge());
      return;
    }
    try {
      bounds.onBytes?.(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      refuse(error);
    }
  };
  function refuse(error: unknown): void {
    stopPace?.();
    chunks = [];
    request.off("data", take);
    request.pause();
    reject(error);
  }
  request.on("data", take);
  request.once("end", () => {
    stopPace?.();
    const [only] = chunks;
    resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  });
  // There is no client to read the answer; it is an error of the client and is not logged.
  const leave = (cause?: unknown): void => {
    stopPace?.();
    reject(clientGone(cause));
  };
  request.once("error", leave);
  request.once("aborted", leave);
  return promise;
}

function hasLeft(request: IncomingMessage | Http2ServerRequest): boolean {
  if (!("stream" in request)) return request.destroyed;
  // A request of HTTP/2 whose stream was reset looks like one that has ended.
  return request.aborted || request.stream.destroyed;
}

/** Returns a function that ends the checks. */
function keepPace(
  { timers, paceMs }: BodyLimits,
  received: () => number,
  refuse: (error: SetpointError) => void,
): () => void {
  const mostChecks = limits.bodyTimeoutMs / limits.bodyPaceMs;
  let checks = 0;
  let before = 0;
  const check = (): void => {
    checks += 1;
    const isSlow = received() - before < limits.minBodyBytesPerPace;
    before = received();
    if (isSlow || checks >= mostChecks) refuse(tooSlow());
    else cancel = timers.after(paceMs, check);
  };
  let cancel = timers.after(paceMs, check);
  return () => cancel();
}

function tooSlow(): SetpointError {
  const seconds = limits.bodyPaceMs / 1_000;
  const message =
    `the body of the request did not arrive in time: the server expects ` +
    `${limits.minBodyBytesPerPace} bytes every ${seconds} seconds, and the whole body within ` +
    `${limits.bodyTimeoutMs / 1_000} seconds`;
  return new SetpointError("request.body_timeout", message);
}

function clientGone(cause: unknown): SetpointError {
  const message = "the client went away before its request was complete";
  return new SetpointError("request.invalid", message, { cause });
}
