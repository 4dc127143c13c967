// Sends a stream of items: NDJSON (one JSON document in each line), or server-sent events for a
// client that accepts them, whose ids are the revisions to resume after. A client that does not
// read is waited for, and cut off by the connection's own limits. An error after the first byte
// is the last item, because the status is sent already.

import type { StreamAnswer, StreamItem } from "../../contract/route.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import type { BodyStream } from "../http/outflow.ts";

export const ndjsonType = "application/x-ndjson";
export const eventStreamType = "text/event-stream";

export interface StreamForm {
  readonly contentType: string;
  text(item: StreamItem): string;
  /** The last item of a stream that fails. `name` is its type, such as "problem". */
  error(name: string, document: JsonObject): string;
}

const ndjson: StreamForm = {
  contentType: ndjsonType,
  text: ({ item }) => `${JSON.stringify(item)}\n`,
  error: (name, document) => `${JSON.stringify({ type: name, [name]: document })}\n`,
};

const serverSentEvents: StreamForm = {
  contentType: eventStreamType,
  text: ({ revision, type, item }) =>
    `id: ${revision}\nevent: ${type}\ndata: ${JSON.stringify(item)}\n\n`,
  error: (name, document) => `event: ${name}\ndata: ${JSON.stringify(document)}\n\n`,
};

/** Server-sent events only for a client that names them. */
export function streamForm(accept: string | undefined): StreamForm {
  const wanted = (accept ?? "").split(",").map((part) => part.split(";", 1)[0]?.trim());
  return wanted.includes(eventStreamType) ? serverSentEvents : ndjson;
}

export interface Streaming {
  readonly exchange: Exchange;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** The type of the last item of a stream that fails, such as "problem". */
  readonly errorName: string;
  readonly wordError: (error: unknown) => JsonObject;
  /** Called for an error that ends the stream. */
  readonly onError: (error: unknown) => void;
}

/** Resolves when the stream has ended. An error before the first item is thrown. */
export async function sendStream({ items }: StreamAnswer, streaming: Streaming): Promise<void> {
  const { exchange, headers, signal, errorName, wordError, onError } = streaming;
  const form = streamForm(exchange.headers.accept);
  const iterator = items[Symbol.asyncIterator]();
  let body: BodyStream | undefined;
  const begin = (): BodyStream => {
    const own = { "content-type": form.contentType, "cache-control": "no-store" };
    const begun = exchange.begin(200, { ...headers, ...own });
    begun.flush();
    return begun;
  };
  try {
    for (;;) {
      const next = await iterator.next();
      body ??= begin();
      if (next.done === true || signal.aborted || body.isClosed) break;
      if (!body.write(form.text(next.value))) await body.drained();
    }
  } catch (error) {
    if (body === undefined && !signal.aborted) throw error;
    body ??= begin();
    if (!signal.aborted) {
      onError(error);
      body.write(form.error(errorName, wordError(error)));
    }
  } finally {
    await iterator.return?.();
    body?.end(closeMs);
  }
}

const closeMs = 2_000;
