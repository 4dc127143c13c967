// The ids under which a request is found again, and the port for its span. Every surface chooses
// the ids by the headers of its protocol; the trace id follows the W3C trace context.

import { hash } from "node:crypto";
import { isTraceId, parseTraceparent } from "../../kernel/trace-context.ts";
import type { Exchange } from "./exchange.ts";

export interface RequestIds {
  /** Chosen by the server, or by the client where the protocol allows it. On every answer. */
  readonly request: string;
  /** The same for all requests of one task of the client. The request id when there is none. */
  readonly correlation: string;
  /** The id that the client has for the request, for logs only. */
  readonly client?: string | undefined;
  /** 32 hexadecimal digits. */
  readonly trace: string;
}

/** A class, because every request has one, and most need no trace id. */
export class ExchangeIds implements RequestIds {
  readonly request: string;
  readonly correlation: string;
  readonly client: string | undefined;
  readonly #exchange: Exchange;
  #trace: string | undefined;

  constructor(exchange: Exchange, request: string, correlation = request, client?: string) {
    this.request = request;
    this.correlation = correlation;
    this.client = client;
    this.#exchange = exchange;
  }

  get trace(): string {
    return (this.#trace ??= traceIdOf(this.#exchange, this.correlation));
  }
}

/** The trace that the client has begun, or one derived from the correlation id. */
export function traceIdOf({ headers }: Pick<Exchange, "headers">, correlation: string): string {
  const begun = parseTraceparent(traceparentOf(headers));
  if (begun !== undefined) return begun.traceId;
  const plain = correlation.replaceAll("-", "").toLowerCase();
  if (isTraceId(plain)) return plain;
  return hash("sha256", correlation, "hex").slice(0, 32);
}

/** Undefined when the header is absent or was sent several times. */
export function traceparentOf(headers: Exchange["headers"]): string | undefined {
  const given = headers["traceparent"];
  return typeof given === "string" ? given : undefined;
}

/** Starts the span of a request. The pipeline without this port creates no spans. */
export interface RequestTrace {
  /** Undefined for a request that is not sampled. */
  begin(request: TracedRequest): RequestSpan | undefined;
}

export interface TracedRequest {
  readonly surface: string;
  readonly exchange: Pick<Exchange, "method" | "url" | "headers">;
  readonly ids: RequestIds;
}

export interface RequestSpan {
  /** Calls the code that belongs to the span. */
  run<T>(inside: () => T): T;
  /** The status of the answer; 0 when the client left before there was one. */
  end(status: number): void;
}
