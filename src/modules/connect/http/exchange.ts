// One request over a connection and its whole answer. An answer beyond the limit, one that does
// not come in time and a connection that breaks are errors; every status is an answer, also that of
// a redirect, which is never followed: a service must not send our secrets elsewhere. Reads share
// connections; a write has its own, so that a connection the service has just closed cannot leave
// it open whether the write was done.

import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { TLSSocket, rootCertificates } from "node:tls";
import type { Timers } from "../../../kernel/timers.ts";
import type { ConnectionSettings, TlsSettings } from "./connection.ts";
import { isCertificateAlert, tlsProblem } from "./tls-material.ts";

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

/** Keeps the connections for reads; of no use after its disposal. */
export interface Wire extends Disposable {
  exchange(request: RawRequest, signal: AbortSignal): Promise<RawAnswer>;
}

/** How connections are opened; another one in tests that own the service. */
export type OpenWire = (settings: WireSettings, timers: Timers) => Wire;

export type WireSettings = Pick<
  ConnectionSettings,
  "base" | "tls" | "timeoutMs" | "maxAnswerBytes"
>;

export function openWire(settings: WireSettings, timers: Timers): Wire {
  const { base, tls } = settings;
  const isTls = base.kind === "url" && base.url.protocol === "https:";
  const kept = { keepAlive: true, maxSockets: 64 };
  const agent = isTls ? new HttpsAgent({ ...kept, ...tlsOptions(tls) }) : new HttpAgent(kept);
  return {
    exchange: (request, signal) => {
      const isRead = request.method === "GET" || request.method === "HEAD";
      const options: RequestOptions = {
        ...placeOf(settings),
        ...(isTls ? tlsOptions(tls) : {}),
        agent: isRead ? agent : false,
        method: request.method,
        path: request.target,
        headers: request.headers,
      };
      return sent({ settings, timers, isTls, options, body: request.body }, signal);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

export function tlsOptions({ ca, certificate, key, serverName }: TlsSettings): {
  readonly ca?: string[];
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
} {
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

export function placeOf({ base }: Pick<WireSettings, "base">): RequestOptions {
  if (base.kind === "socket") return { socketPath: base.socketPath, host: "localhost" };
  const { hostname, port, protocol } = base.url;
  const usual = protocol === "https:" ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usual : Number(port) };
}

interface Sending {
  readonly settings: WireSettings;
  readonly timers: Timers;
  readonly isTls: boolean;
  readonly options: RequestOptions;
  readonly body: Buffer | undefined;
}

function sent(
  { settings, timers, isTls, options, body }: Sending,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const { timeoutMs, maxAnswerBytes } = settings;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const call = (isTls ? httpsRequest : httpRequest)(options);
  let isConnected = false;
  /** The service has yet to say what it thinks of our certificate, as TLS 1.3 has it. */
  let isJudgedLate = false;
  const fail = (reason: ExchangeFailed["reason"], message: string): void => {
    call.destroy();
    reject(new ExchangeFailed(reason, message, !isConnected));
  };
  const cancel = timers.after(timeoutMs, () =>
    fail("Timeout", `no answer within ${timeoutMs / 1_000} s`),
  );
  const onAbort = (): void => {
    call.destroy();
    reject(signal.reason instanceof Error ? signal.reason : new Error("the run was ended"));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  call.on("error", (error: NodeJS.ErrnoException) => {
    const tls = isTls ? tlsProblem(error) : undefined;
    if (tls === undefined) return fail("ConnectionFailed", connectionText(error));
    // Whatever else fails after our side of the handshake may fail after the request was read.
    if (isJudgedLate && isCertificateAlert(error)) isConnected = false;
    fail("TlsFailed", tls);
  });
  call.on("socket", (socket) => {
    socket.once("data", () => (isJudgedLate = false));
    if (call.reusedSocket || (!isTls && !socket.connecting)) isConnected = true;
    else {
      socket.once(isTls ? "secureConnect" : "connect", () => {
        isConnected = true;
        isJudgedLate = socket instanceof TLSSocket && socket.getProtocol() === "TLSv1.3";
      });
    }
  });
  call.on("response", (response) => collect(response, { maxAnswerBytes, resolve, fail }));
  call.end(body);
  return promise.finally(() => {
    cancel();
    signal.removeEventListener("abort", onAbort);
  });
}

interface Collecting {
  readonly maxAnswerBytes: number;
  readonly resolve: (answer: RawAnswer) => void;
  readonly fail: (reason: ExchangeFailed["reason"], message: string) => void;
}

function collect(response: IncomingMessage, { maxAnswerBytes, resolve, fail }: Collecting): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) {
      fail("AnswerTooLarge", `the answer is larger than ${maxAnswerBytes} bytes`);
    } else chunks.push(chunk);
  });
  response.on("error", () => fail("ConnectionFailed", "the answer broke off"));
  response.on("aborted", () => fail("ConnectionFailed", "the answer broke off"));
  response.on("end", () => {
    const { statusCode: status = 0, headers } = response;
    const flat = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]);
    resolve({ status, headers: Object.fromEntries(flat), body: Buffer.concat(chunks) });
  });
}

/** The text of the platform may hold addresses, which are no secret, and nothing that was sent. */
export function connectionText({ code = "", message }: NodeJS.ErrnoException): string {
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the name of the host is not known";
  if (code === "ECONNRESET" || message === "socket hang up") return "the connection broke";
  if (code === "ENOENT") return "there is no such socket";
  return code === "" ? message.slice(0, 200) : `${code}: ${message.slice(0, 200)}`;
}
