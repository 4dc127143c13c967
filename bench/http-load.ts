/**
 * A load of HTTP/1.1 requests over TLS that costs so little itself that the server is what is
 * measured: requests are bytes made beforehand, answers are only counted. One request at a time
 * per connection.
 */
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

export interface LoadTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by status code. */
  readonly statuses: ReadonlyMap<number, number>;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const endOfHead = Buffer.from("\r\n\r\n");

/** One connection that asks one thing at a time. */
export class LoadConnection implements Disposable {
  readonly #socket: TLSSocket;
  #parts: Buffer[] = [];
  #bytes = 0;
  #wanted = 0;
  #head = "";
  #done: ((answer: Answer) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error: Error) => this.#fail?.(error));
    socket.on("close", () => this.#fail?.(new Error("the server closed the connection")));
  }

  static async open({ host, port, ca }: LoadTarget): Promise<LoadConnection> {
    const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] });
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    return new LoadConnection(socket);
  }

  ask(request: Buffer, done: (answer: Answer) => void, fail: (error: Error) => void): void {
    this.#done = done;
    this.#fail = fail;
    this.#socket.write(request);
  }

  [Symbol.dispose](): void {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#wanted === 0) this.#readHead();
    const isChunked = this.#wanted === Number.POSITIVE_INFINITY;
    const isWhole = isChunked ? chunk.subarray(-5).toString("latin1") === "0\r\n\r\n" : false;
    if (this.#wanted === 0 || (this.#bytes < this.#wanted && !isWhole)) return;
    const body = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    const answer = { status: Number(this.#head.slice(9, 12)), body };
    this.#parts = [];
    this.#bytes = 0;
    this.#wanted = 0;
    this.#done?.(answer);
  }

  #readHead(): void {
    const all = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const end = all?.indexOf(endOfHead) ?? -1;
    if (all === undefined || end < 0) return;
    this.#head = all.toString("latin1", 0, end);
    const length = /content-length: (\d+)/i.exec(this.#head)?.[1];
    this.#wanted =
      length === undefined ? Number.POSITIVE_INFINITY : end + endOfHead.length + Number(length);
  }
}

export interface LoadInput {
  readonly target: LoadTarget;
  readonly connections: number;
  readonly requests: number;
  /** The bytes of request number i. */
  readonly request: (i: number) => Buffer;
}

export async function httpLoad(input: LoadInput): Promise<LoadResult> {
  const { target, connections, requests, request } = input;
  const open = await Promise.all(
    Array.from({ length: connections }, () => LoadConnection.open(target)),
  );
  using stack = new DisposableStack();
  for (const connection of open) stack.use(connection);
  const latencies = new Float64Array(requests);
  const statuses = new Map<number, number>();
  let next = 0;
  let left = requests;
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const go = (connection: LoadConnection): void => {
      if (next >= requests) return;
      const number = next++;
      const began = performance.now();
      connection.ask(
        request(number),
        ({ status }) => {
          latencies[number] = performance.now() - began;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          left -= 1;
          if (left === 0) resolve();
          else go(connection);
        },
        reject,
      );
    };
    for (const connection of open) go(connection);
  });
  const seconds = (performance.now() - start) / 1_000;
  latencies.sort();
  return {
    perSecond: requests / seconds,
    p50Ms: latencies[Math.floor(requests / 2)] ?? 0,
    p99Ms: latencies[Math.floor(requests * 0.99)] ?? 0,
    statuses,
  };
}

/** The bytes of a request with a token. */
export function requestBytes(
  method: string,
  path: string,
  token: string,
  body?: { readonly type: string; readonly text: string },
): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "accept: application/json",
    "user-agent: bench/1",
    ...(body === undefined
      ? []
      : [`content-type: ${body.type}`, `content-length: ${Buffer.byteLength(body.text)}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body?.text ?? ""}`);
}
