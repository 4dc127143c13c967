// One request and its answer, over HTTP/1.1 or HTTP/2 alike. Surfaces see this and never the
// server's own objects, so that limits on bodies, head requests and broken connections are dealt
// with in one place.

import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import { constants } from "node:http2";
import type { Http2ServerRequest } from "node:http2";
import type { PeerCertificate } from "../../intents/auth/request-facts.ts";
import { limits } from "../../kernel/limits.ts";
import { readBody } from "./incoming-body.ts";
import { Outflow, isGone } from "./outflow.ts";
import type { BodyStream, Outflows, Response } from "./outflow.ts";
import type { PageTurns } from "./loop-share.ts";
import type { Place } from "./place.ts";
import { connectionTenant, currentTurn, sendTogether } from "./turn.ts";
import { endLater, isSoonOver, isUnread, stopSending } from "./unread-body.ts";

export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** All values of a header that may come several times. */
  headerValues(name: string): readonly string[];
  readonly remoteAddress: string;
  /** Whether the request came over TLS. */
  readonly isSecure: boolean;
  /** Absent when the client showed no certificate that our authority has signed. */
  readonly certificate: PeerCertificate | undefined;
  /** Whether a part of the body has not arrived. */
  readonly isBodyInTransit: boolean;
  /** The bytes of the body that may be in memory although nothing has read them yet. */
  readonly bodyBytesAhead: number;
  /** What the request holds, from its admission on. Called at most once. */
  admitted(place: Place): void;
  /** The request is exempt from admission, and shares the event loop. Called at most once. */
  exempted(turns: PageTurns): void;
  /** Rejects with the given error as soon as the body is larger. */
  readBody(maxBytes: number, tooLarge: () => Error): Promise<Buffer>;
  /** The whole answer at once. */
  send(status: number, headers: Headers, body?: Buffer | string): void;
  /** The head of an answer whose body comes bit by bit. */
  begin(status: number, headers: Headers): BodyStream;
  readonly isAnswered: boolean;
  /** Of the answer; 0 before there is one. */
  readonly status: number;
  /** Ends the request without the rest of its answer. */
  cutOff(): void;
  /** Called once when the client has gone or the answer is finished. */
  onClose(run: () => void): void;
  /** Resolves when the client took the answer or is gone; undefined when it was a small one. */
  taken(): Promise<void> | undefined;
  /**
   * Takes memory for work before it is done, up to this many bytes in total. Undefined means at
   * once. Throws, or rejects with, request.overloaded: see place.ts.
   */
  reserve(bytes: number): Promise<void> | undefined;
  /** Takes memory for a stored document that the request changes, as `reserve` does. */
  reserveDocument(bytes: number): Promise<void> | undefined;
  /** Waits for a turn of the event loop in which a page can be read: see loop-share.ts. */
  pageTurn(): Promise<void> | undefined;
  pageRead(bytes: number): void;
  /** Corrects what is held, when the number is known. */
  hold(bytes: number): void;
  /** Takes memory until the request ends. Throws request.overloaded. */
  keep(bytes: number): void;
}

export type Request = IncomingMessage | Http2ServerRequest;

export interface ExchangeInput {
  readonly certificate: PeerCertificate | undefined;
  readonly outflows: Outflows;
  readonly isSecure: boolean;
  /** Whether the client waits to be told that its body is wanted. */
  readonly isHeldBack?: boolean;
}

export function exchangeOf(request: Request, response: Response, input: ExchangeInput): Exchange {
  return new HttpExchange(request, response, input);
}

/** All requests of one connection have the same object. */
export function connectionOf(request: Request): object {
  return ("stream" in request ? request.stream.session : undefined) ?? request.socket;
}

/** Bodies up to this size go out in one piece with their head. */
const onePieceBytes = 16 * 1_024;

/** A class, because one is made for every request and closures would cost more than the rest. */
class HttpExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly isSecure: boolean;
  readonly certificate: PeerCertificate | undefined;
  readonly #request: Request;
  readonly #response: Response;
  readonly #turn = currentTurn();
  readonly #outflows: Outflows;
  #place: Place | undefined;
  #turns: PageTurns | undefined;
  #outflow: Outflow | undefined;
  #isHeldBack: boolean;
  #status = 0;

  constructor(
    request: Request,
    response: Response,
    { certificate, outflows, isSecure, isHeldBack = false }: ExchangeInput,
  ) {
    this.#outflows = outflows;
    this.#isHeldBack = isHeldBack;
    this.method = request.method ?? "GET";
    this.url = request.url ?? "/";
    this.headers = request.headers;
    this.isSecure = isSecure;
    this.certificate = certificate;
    this.#request = request;
    this.#response = response;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get isAnswered(): boolean {
    return this.#status !== 0;
  }

  get status(): number {
    return this.#status;
  }

  /** Raw headers are names and values in turn. */
  headerValues(name: string): readonly string[] {
    const raw = this.#request.rawHeaders;
    return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
  }

  get isBodyInTransit(): boolean {
    return isUnread(this.#request);
  }

  get bodyBytesAhead(): number {
    const length = this.headers["content-length"];
    if (length !== undefined) return Math.min(Number(length) || 0, limits.maxBodyBytesAhead);
    return this.isBodyInTransit ? limits.maxBodyBytesAhead : this.#request.readableLength;
  }

  admitted(place: Place): void {
    this.#place = place;
    this.#turns = place;
    if (!connectionTenant(connectionOf(this.#request), place.tenant)) this.#endConnection();
  }

  exempted(turns: PageTurns): void {
    this.#turns = turns;
    connectionTenant(connectionOf(this.#request), turns.tenant);
  }

  readBody(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    const length = this.headers["content-length"];
    const declaredBytes = length === undefined ? undefined : Number(length);
    if (declaredBytes !== undefined && declaredBytes > maxBytes) return Promise.reject(tooLarge());
    const read = (onBytes?: (bytes: number) => void): Promise<Buffer> => {
      if (this.#isHeldBack) {
        this.#isHeldBack = false;
        this.#response.writeContinue();
      }
      const { timers, bodyPaceMs: paceMs } = this.#outflows;
      return readBody(this.#request, { maxBytes, tooLarge, timers, paceMs, onBytes });
    };
    if (this.#place === undefined) return read();
    return this.#place.receive({ declaredBytes, isInTransit: () => this.isBodyInTransit, read });
  }

  send(status: number, headers: Headers, body: Buffer | string = ""): void {
    const response = this.#response;
    if (this.isAnswered || isGone(response)) return;
    const length = Buffer.byteLength(body);
    this.#charge(status, length);
    const isLast = isUnread(this.#request) && this.#isLast();
    const all = { ...headers, "content-length": length };
    // A head that cannot be sent is no answer yet.
    writeHead(response, status, isLast ? { ...all, connection: "close" } : all);
    this.#status = status;
    if (isLast && length <= onePieceBytes) this.#sendLast(body);
    else if (this.method === "HEAD" || length === 0) response.end();
    else if (length > onePieceBytes) this.#sendLarge(body);
    else if (typeof body === "string") response.end(body);
    else sendTogether(this.#turn, () => sendSmall(response as ServerResponse, body));
  }

  begin(status: number, headers: Headers): BodyStream {
    if (!isGone(this.#response)) {
      const isLast = isUnread(this.#request) && this.#isLast();
      writeHead(this.#response, status, isLast ? { ...headers, connection: "close" } : headers);
    }
    this.#status = status;
    this.#outflow = this.#startOutflow();
    return this.#outflow;
  }

  /** An error is always sent; it is small. */
  #charge(status: number, length: number): void {
    const bytes = length > onePieceBytes ? length : 0;
    if (status < 400) this.#place?.answer(bytes);
    else this.#place?.hold(bytes);
  }

  cutOff(): void {
    const response = this.#response;
    if (!("stream" in response)) response.destroy();
    else response.stream.close(constants.NGHTTP2_CANCEL);
  }

  taken(): Promise<void> | undefined {
    return this.#outflow?.closed;
  }

  reserve(bytes: number): Promise<void> | undefined {
    return this.#place?.reserve(bytes);
  }

  reserveDocument(bytes: number): Promise<void> | undefined {
    return this.#place?.reserveDocument(bytes);
  }

  pageTurn(): Promise<void> | undefined {
    return this.#turns?.pageTurn();
  }

  pageRead(bytes: number): void {
    this.#turns?.pageRead(bytes);
  }

  hold(bytes: number): void {
    this.#place?.hold(bytes);
  }

  keep(bytes: number): void {
    this.#place?.keep(bytes);
  }

  /** Whether a body that nobody reads makes this the last answer of its connection. */
  #isLast(): boolean {
    const [request, response] = [this.#request, this.#response];
    if ("stream" in response) stopSending(response, this.#outflows.timers);
    return !("stream" in request) && (this.#isHeldBack || !isSoonOver(request));
  }

  /** After the answer. */
  #endConnection(): void {
    const [request, response] = [this.#request, this.#response];
    if ("stream" in request) request.stream.session?.close();
    else if (!response.headersSent) response.setHeader("connection", "close");
  }

  #sendLast(body: Buffer | string): void {
    const response = this.#response as ServerResponse;
    response.flushHeaders();
    if (this.method !== "HEAD" && body.length > 0) response.write(body);
    endLater(this.#request as IncomingMessage, response, this.#outflows.timers);
  }

  #sendLarge(body: Buffer | string): void {
    this.#outflow = this.#startOutflow();
    this.#outflow.write(body);
    this.#outflow.end();
  }

  #startOutflow(): Outflow {
    const { tenant = "", flow } = this.#place ?? {};
    return new Outflow(this.#response, this.#outflows, { tenant, account: flow });
  }

  onClose(run: () => void): void {
    // The request closes when its body was read; only the response tells that the client left.
    if (isGone(this.#response)) run();
    else this.#response.once("close", run);
  }
}

/** As a text the body is joined to the head and both are encrypted and sent as one. */
function sendSmall(response: ServerResponse, body: Buffer): void {
  response.end(body.toString("latin1"), "latin1");
}

/** The two kinds of response differ in their types only. */
function writeHead(response: Response, status: number, headers: Headers): void {
  (response as ServerResponse).writeHead(status, headers as OutgoingHttpHeaders);
}
