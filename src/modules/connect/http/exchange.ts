// One request over a connection and its whole answer. An answer beyond the limit, one that does not
// come in time and a connection that breaks are errors. Every status is an answer, also that of a
// redirect, which is never followed: a service must not send our secrets elsewhere. Reads share
// connections. A write has its own, so that a connection that the service has just closed cannot
// leave it open whether the write was done.

import type { HttpFailure, HttpPlace, OpenHttp, TlsMaterial } from "../../../adapters/http/port.ts";
import type { ConnectionSettings, TlsSettings } from "./connection.ts";
import { tlsProblem } from "./tls-material.ts";

export interface RawRequest {
  readonly method: string;
  /** With the query; after the origin. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
}

/** The request may or may not have been carried out. */
export class ExchangeFailed extends Error {
  /** One word: what kind of failure it was. */
  readonly reason: "Timeout" | "ConnectionFailed" | "TlsFailed" | "AnswerTooLarge";
  /** Nothing was sent, so nothing was done. */
  readonly isUnsent: boolean;

  constructor(reason: ExchangeFailed["reason"], message: string, isUnsent: boolean) {
    super(message);
    this.name = "ExchangeFailed";
    this.reason = reason;
    this.isUnsent = isUnsent;
  }

  /** The same, of a request that is named. */
  about(request: string): ExchangeFailed {
    return new ExchangeFailed(this.reason, `${request}: ${this.message}`, this.isUnsent);
  }
}

/** Keeps the connections for reads; cannot be used after its disposal. */
export interface Wire extends Disposable {
  exchange(request: RawRequest, signal: AbortSignal): Promise<RawAnswer>;
}

/** How connections are opened; tests that are the service have their own. */
export type OpenWire = (settings: WireSettings) => Wire;

export type WireSettings = Pick<
  ConnectionSettings,
  "base" | "tls" | "timeoutMs" | "maxAnswerBytes"
>;

const maxConnections = 64;

export function wireOver(open: OpenHttp): OpenWire {
  return (settings) => {
    const { base, tls, timeoutMs, maxAnswerBytes: maxBytes } = settings;
    const http = open({ tls: tlsMaterial(tls), maxConnections });
    const place = placeOf(settings);
    const isTls = base.kind === "url" && base.url.protocol === "https:";
    return {
      exchange: async ({ method, target, headers, body }, signal) => {
        signal.throwIfAborted();
        const isRead = method === "GET" || method === "HEAD";
        const result = await http.send({
          place,
          method,
          target,
          headers,
          ...(body === undefined ? {} : { body }),
          connection: isRead ? "shared" : "own",
          timeouts: { totalMs: timeoutMs },
          maxBytes,
          signal,
        });
        if (result.kind === "answer") return result;
        if (result.reason !== "aborted") throw exchangeFailed(result, isTls);
        throw signal.reason instanceof Error ? signal.reason : new Error("the run was aborted");
      },
      [Symbol.dispose]: () => http[Symbol.dispose](),
    };
  };
}

export function tlsMaterial({ ca, certificate, key, serverName }: TlsSettings): TlsMaterial {
  return {
    ...(ca === undefined ? {} : { ca, isPublicTrusted: true }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

export function placeOf({ base }: Pick<WireSettings, "base">): HttpPlace {
  return base.kind === "socket"
    ? { kind: "socket", path: base.socketPath }
    : { kind: "origin", origin: base.url.origin };
}

function exchangeFailed(failure: HttpFailure, isTls: boolean): ExchangeFailed {
  const { reason, phase, message, isUnsent } = failure;
  if (reason === "timeout") return new ExchangeFailed("Timeout", message, isUnsent);
  if (reason === "tooLarge") return new ExchangeFailed("AnswerTooLarge", message, isUnsent);
  const tls = isTls ? tlsProblem(failure) : undefined;
  if (tls !== undefined) return new ExchangeFailed("TlsFailed", tls, isUnsent);
  const text = phase === "body" ? "the response is incomplete" : connectionText(failure);
  return new ExchangeFailed("ConnectionFailed", text, isUnsent);
}

/** The text of the platform may hold addresses, which are no secret, and nothing that was sent. */
export function connectionText({ code, message }: Pick<HttpFailure, "code" | "message">): string {
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host name cannot be resolved";
  if (code === "ECONNRESET" || message === "socket hang up") return "the connection was lost";
  if (code === "ENOENT") return "the socket does not exist";
  return code === "" ? message.slice(0, 200) : `${code}: ${message.slice(0, 200)}`;
}
