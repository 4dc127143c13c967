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
  let isAnswered = false;
  const isHead = request.method === "HEAD";
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: request.headers,
    headerValues: (name) => headerValues(request.rawHeaders, name),
    remoteAddress: request.socket.remoteAddress ?? "",
    certificate,
    readBody: (maxBytes, tooLarge) => readBody(request, maxBytes, tooLarge),
    send: (status, headers, body = "") => {
      if (isAnswered || response.destroyed) return;
      isAnswered = true;
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      writeHead(response, status, { ...headers, "content-length": bytes.length });
      if (isHead) response.end();
      else response.end(bytes);
    },
    begin: (status, headers) => {
      isAnswered = true;
      writeHead(response, status, headers);
      return bodyStream(response);
    },
    get isAnswered() {
      return isAnswered;
    },
    onClose: (run) => {
      // The request closes when its body was read; only the response tells that the client left.
      response.once("close", run);
    },
  };
}

/** The two kinds of response differ in their types only. */
function writeHead(response: Response, status: number, headers: Headers): void {
  (response as ServerResponse).writeHead(status, headers as OutgoingHttpHeaders);
}

/** Raw headers are names and values in turn. */
function headerValues(raw: readonly string[], name: string): readonly string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
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
    request.once("error", reject);
    request.once("aborted", () => reject(new Error("the client went away")));
  });
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
