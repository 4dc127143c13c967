// Sends the answer of a handler: a document with its ETag, a text, or a stream.

import type { RouteAnswer } from "../../contract/route.ts";
import { limits } from "../../kernel/limits.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import { etagText, isNotModified } from "./conditions.ts";
import { sendStream } from "./stream.ts";
import type { Streaming } from "./stream.ts";

/** `headers` are those of every answer of the surface. A stream resolves when it has ended. */
export async function sendAnswer(answer: RouteAnswer, sending: Streaming): Promise<void> {
  const { exchange, headers } = sending;
  if (answer.kind !== "stream") sendWhole(exchange, answer, headers);
  else if (exchange.method === "HEAD") exchange.send(200, headers);
  else await sendStream(answer, sending);
}

function sendWhole(
  exchange: Exchange,
  answer: Exclude<RouteAnswer, { readonly kind: "stream" }>,
  own: Headers,
): void {
  const { status, headers = {} } = answer;
  if (answer.kind === "text") {
    const type = { "content-type": answer.contentType };
    exchange.send(status, { ...own, ...type, ...headers }, answer.text);
    return;
  }
  const { etag, document } = answer;
  const tag = etag === undefined ? {} : { etag: etagText(etag) };
  const isRead = exchange.method === "GET" || exchange.method === "HEAD";
  if (isRead && isNotModified(exchange.headers["if-none-match"], etag)) {
    exchange.send(304, { ...own, ...tag });
    return;
  }
  const type = document === undefined ? {} : { "content-type": "application/json" };
  const all = { ...own, ...type, "cache-control": "no-store", ...tag, ...headers };
  exchange.send(status, all, document === undefined ? "" : JSON.stringify(document));
}

/** Warnings of the write path, as RFC 7234 formats them. */
export function warningHeaders(warnings: readonly string[]): Headers {
  if (warnings.length === 0) return {};
  const shown = [...new Set(warnings)].slice(0, limits.maxWarnings);
  return { warning: shown.map((text) => `299 - ${JSON.stringify(asciiOf(text))}`) };
}

function asciiOf(text: string): string {
  return text.slice(0, limits.maxShortWarningChars).replaceAll(/[^\x20-\x7e]/g, "?");
}
