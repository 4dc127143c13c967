/**
 * The HTTP client of Setpoint: the only way in which the tree calls other servers. The contract,
 * which contract/suite.ts proves:
 *
 *  1. How a request ended is data: an answer of any status, or a failure with its reason. Nothing
 *     is thrown for what a server or the network does.
 *  2. Every request has a time limit and a limit on the size of its answer. Answers are counted as
 *     they arrive, so that a larger one is never held in memory.
 *  3. Redirects are not followed unless the request says so, and then only within the origin: a
 *     server must not be able to send our credentials elsewhere.
 *  4. A failure says whether the server can have read the request (`isUnsent`), so that a caller
 *     knows whether to look before it tries again.
 *  5. Connections are kept for later requests, within limits. A request with `connection: "own"`
 *     gets a new one, because a kept connection may have been closed by the server just before.
 *  6. Before a connection is opened, `refuseAddress` sees the address that will be used, after the
 *     name was resolved, so a name cannot lead elsewhere in between.
 *  7. Texts of failures hold nothing that was sent.
 *  8. The answer to a JSON call is a parsed document or none. A success with a body that is not
 *     JSON is a failure. Connections are kept by the authority they trust, for some authorities.
 */

import type { Json } from "../../kernel/json.ts";

/** What to trust, and how to authenticate, on connections with TLS. */
export interface TlsMaterial {
  /** Authorities as PEM, instead of the public ones. */
  readonly ca?: string;
  /** Trust the public authorities as well as `ca`. */
  readonly isPublicTrusted?: boolean;
  /** As PEM. */
  readonly certificate?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, unless it is that of the URL. */
  readonly serverName?: string;
  /** Any certificate is accepted. Only where a user has configured this. */
  readonly isUnverified?: boolean;
}

export interface HttpClientOptions {
  readonly tls?: TlsMaterial;
  /** To one origin at a time; further requests wait for a connection. */
  readonly maxConnections?: number;
  /** Returns why a resolved address must not be called, or undefined to allow it. */
  readonly refuseAddress?: (address: string, host: string) => string | undefined;
}

/** Opens a client with its own connections, trust and limits. */
export type OpenHttp = (options?: HttpClientOptions) => HttpClient;

export interface HttpClient extends Disposable {
  /** Sends a request and reads the whole answer. */
  send(request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
  /** Sends a request; the body of the answer is read as it arrives. */
  stream(request: HttpRequest): Promise<HttpStream | HttpFailure>;
  /** Events of a server as in the HTML standard (text/event-stream). */
  events(request: HttpRequest): Promise<EventStream | HttpFailure>;
  /** Follows a WebSocket until it ends; resolves with the reason. */
  webSocket(request: WebSocketRequest, listener: WebSocketListener): Promise<WebSocketEnd>;
  /** Closes every kept connection, and ends the requests on them. */
  [Symbol.dispose](): void;
}

/** Sends one request of a protocol on JSON, with the limits of that protocol. */
export type CallJson = (call: JsonCall) => Promise<JsonAnswer | HttpFailure>;

export interface JsonCall {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** Authorities as PEM that are trusted in addition to the public ones. */
  readonly ca?: string | undefined;
  /** For everything. */
  readonly timeoutMs: number;
  /** Of the body of the answer. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Where a server is reached. */
export type HttpPlace =
  /** Such as `https://example.org:8443`. */
  | { readonly kind: "origin"; readonly origin: string }
  /** A Unix domain socket. */
  | { readonly kind: "socket"; readonly path: string };

export interface HttpRequest {
  readonly place: HttpPlace;
  /** Connect here instead of where the origin says; its name is still the one that is verified. */
  readonly connectTo?: { readonly host: string; readonly port: number };
  readonly method: string;
  /** Path and query, sent as they are. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** "shared" unless given. */
  readonly connection?: "shared" | "own";
  readonly timeouts: HttpTimeouts;
  /** Of the body of the answer. */
  readonly maxBytes: number;
  /** Redirects that are followed within the origin, for GET and HEAD; none unless given. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

export interface HttpTimeouts {
  /** For everything. A stream that stays open has none. */
  readonly totalMs?: number;
  /** Until the request can be written, with the wait for a connection. */
  readonly connectMs?: number;
  /** From then until the status arrives. */
  readonly headersMs?: number;
  /** Between two pieces of the body. */
  readonly bodyMs?: number;
}

interface AnswerHead {
  readonly status: number;
  /** Names are in lower case; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpAnswer extends AnswerHead {
  readonly kind: "answer";
  readonly body: Buffer;
}

export interface JsonAnswer extends AnswerHead {
  readonly kind: "json";
  /** Undefined for an empty body, and for an error whose body is not JSON. */
  readonly json: Json | undefined;
}

export interface HttpStream extends AnswerHead, Disposable {
  readonly kind: "stream";
  /** Throws `HttpStreamError` when the body does not arrive whole; leaving early closes it. */
  readonly body: AsyncIterable<Buffer>;
}

export interface EventStream extends AnswerHead, Disposable {
  readonly kind: "events";
  /** Throws as the body of a stream does. */
  readonly events: AsyncIterable<ServerEvent>;
}

export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  /** The last id that the server gave, for Last-Event-ID. */
  readonly id: string;
}

export interface HttpFailure {
  readonly kind: "failure";
  readonly reason:
    | "refused" // by refuseAddress
    | "connection"
    | "tls"
    | "timeout"
    | "tooLarge"
    | "redirect"
    | "aborted"
    | "busy" // too many requests wait for a connection
    | "invalid"; // the request cannot be written, or the answer is not HTTP
  /** How far it was. */
  readonly phase: "connecting" | "waiting" | "body";
  /** The server cannot have read the request. */
  readonly isUnsent: boolean;
  /** Of the platform, such as ECONNREFUSED; empty if there is none. */
  readonly code: string;
  readonly message: string;
  /** The error of the platform, with what it knows of certificates. */
  readonly cause?: Error;
  /** Where a redirect led that was not followed: "" if there were too many. */
  readonly redirectOrigin?: string;
}

/** What the body of a stream throws. */
export interface HttpStreamError extends Error {
  readonly failure: HttpFailure;
}

export interface WebSocketRequest {
  readonly place: HttpPlace;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Until the server has accepted. */
  readonly openMs: number;
  readonly maxMessageBytes: number;
  /** Between two pings; after two without any sign of life the stream ends. */
  readonly pingMs: number;
  /** Answers to the server's pings that it does not read. */
  readonly maxUnsentBytes: number;
  readonly signal?: AbortSignal;
}

export interface WebSocketListener {
  readonly opened: () => void;
  readonly message: (text: string) => void;
}

export type WebSocketEnd =
  /** The server ended it properly. */
  | { readonly kind: "closed" }
  /** The server answered without switching protocols. */
  | { readonly kind: "status"; readonly status: number }
  /** The server switched to something that is not WebSocket. */
  | { readonly kind: "notWebSocket" }
  | { readonly kind: "silent" }
  /** The server sends pings and does not read the answers. */
  | { readonly kind: "unread" }
  | { readonly kind: "tooLarge" }
  /** The server does not follow the protocol. */
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" }
  | HttpFailure;
