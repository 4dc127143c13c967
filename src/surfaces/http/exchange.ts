// One request and its answer, over HTTP/1.1 or HTTP/2 alike. Surfaces see this and never the
// server's own objects, so that limits on bodies, head requests and broken connections are dealt
// with in one place.

import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { SetpointError } from "../../kernel/errors.ts";
import type { PeerCertificate } from "../../intents/auth/request-facts.ts";

export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** All values of a header that may come several times. */
  headerValues(name: string): readonly string[];
  readonly remoteAddress: string;
  /** Absent when the client showed no certificate that our authority has signed. */
  readonly certificate: PeerCertificate | undefined;
  /** Rejects with the given error as soon as the body is larger. */
  readBody(maxBytes: number, tooLarge: () => Error): Promise<Buffer>;
  /** The whole answer at once. */
  send(status: number, headers: Headers, body?: Buffer | string): void;
  /** The head of an answer whose body comes bit by bit. */
  begin(status: number, headers: Headers): BodyStream;
  readonly isAnswered: boolean;
  /** Of the answer; 0 before there is one. */
  readonly status: number;
  /** Called once when the client has gone or the answer is finished. */
  onClose(run: () => void): void;
}

export interface BodyStream {
  /** Takes the bytes; false when the client does not keep up and `drained` should be awaited. */
  write(bytes: Buffer | string): boolean;
  drained(): Promise<void>;
  /** Sends the head of the answer before there is a body. */
  flush(): void;
  /** Bytes taken but not yet on their way. */
  readonly pendingBytes: number;
  readonly isClosed: boolean;
  end(): void;
  /** Breaks the connection off, so that the client cannot take the answer for whole. */
  abort(): void;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

export function exchangeOf(
  request: Request,
  response: Response,
  certificate: PeerCertificate | undefined,
): Exchange {
  return new HttpExchange(request, response, certificate);
}

/** Bodies up to this size go out in one piece with their head. */
const onePieceBytes = 16 * 1_024;

/** A class, because one is made for every request and closures would cost more than the rest. */
class HttpExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly certificate: PeerCertificate | undefined;
  readonly #request: Request;
  readonly #response: Response;
  #status = 0;

  constructor(request: Request, response: Response, certificate: PeerCertificate | undefined) {
    this.method = request.method ?? "GET";
    this.url = request.url ?? "/";
    this.headers = request.headers;
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

  readBody(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    return readBody(this.#request, maxBytes, tooLarge);
  }

  send(status: number, headers: Headers, body: Buffer | string = ""): void {
    const response = this.#response;
    if (this.isAnswered || response.destroyed) return;
    this.#status = status;
    const length = Buffer.byteLength(body);
    writeHead(response, status, { ...headers, "content-length": length });
    if (this.method === "HEAD" || length === 0) response.end();
    else if (typeof body === "string" || length > onePieceBytes) response.end(body);
    // As a text the body is joined to the head and both are encrypted and sent as one.
    else (response as ServerResponse).end(body.toString("latin1"), "latin1");
  }

  begin(status: number, headers: Headers): BodyStream {
    this.#status = status;
    writeHead(this.#response, status, headers);
    return bodyStream(this.#response);
  }

  onClose(run: () => void): void {
    // The request closes when its body was read; only the response tells that the client left.
    this.#response.once("close", run);
  }
}

/** The two kinds of response differ in their types only. */
function writeHead(response: Response, status: number, headers: Headers): void {
  (response as ServerResponse).writeHead(status, headers as OutgoingHttpHeaders);
}

function readBody(request: Request, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  const declared = Number(request.headers["content-length"]);
  if (declared > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        chunks = [];
        request.pause();
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.once("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    // Nobody is left to read the answer; it is an error of the client and not one to log.
    const leave = (cause?: unknown): void => reject(clientGone(cause));
    request.once("error", leave);
    request.once("aborted", leave);
  });
}

function clientGone(cause: unknown): SetpointError {
  const message = "the client went away before its request was complete";
  return new SetpointError("request.invalid", message, { cause });
}

function bodyStream(response: Response): BodyStream {
  let isClosed = false;
  response.once("close", () => {
    isClosed = true;
  });
  return {
    write: (bytes) => (isClosed ? true : (response as ServerResponse).write(bytes)),
    flush: () => (response as ServerResponse).flushHeaders(),
    drained: () =>
      new Promise<void>((resolve) => {
        if (isClosed || !response.writableNeedDrain) {
          resolve();
          return;
        }
        response.once("drain", resolve);
        response.once("close", resolve);
      }),
    get pendingBytes() {
      return response.writableLength;
    },
    get isClosed() {
      return isClosed;
    },
    end: () => {
      if (!isClosed) response.end();
    },
    abort: () => {
      if ("stream" in response) response.stream.close();
      else response.destroy();
    },
  };
}
