// One answer of the Resource Manager surface: the ids of the request in its headers, and an error
// in the envelope of the protocol.

import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Exchange, Headers } from "../../http/exchange.ts";
import { challengeHeaders } from "../../http/identify.ts";
import type { RequestIds } from "../../http/trace.ts";
import { armErrorAnswer } from "./arm-error.ts";

/** What goes out; `body` becomes JSON, `text` is JSON already, and `bytes` were sent before. */
export interface ArmAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: JsonObject;
  readonly text?: string;
  readonly bytes?: Buffer;
}

export function sendError(exchange: Exchange, ids: RequestIds, error: unknown): void {
  const answer = armErrorAnswer(error);
  sendAnswer(exchange, ids, { ...answer, headers: errorHeaders(answer.status, error) });
}

/** Whether an error is a fault of the server. */
export function isFault(error: unknown): boolean {
  const isExpected = isSetpointError(error) && error.status !== 500;
  return !isExpected && armErrorAnswer(error).status >= 500;
}

function errorHeaders(status: number, error: unknown): Headers {
  const allow = isSetpointError(error) ? textAt(error.details, "allow") : "";
  if (allow !== "") return { allow };
  if (status === 401) return challengeHeaders(error);
  return status === 429 || status === 503 ? { "retry-after": 10 } : {};
}

/** Throws when the body is larger than an answer may be. */
export function sendAnswer(exchange: Exchange, ids: RequestIds, answer: ArmAnswer): void {
  const { status, headers } = answer;
  const bytes = bytesOf(answer);
  const all: Record<string, Headers[string]> = {
    "x-ms-request-id": ids.request,
    "x-ms-correlation-request-id": ids.correlation,
  };
  if (ids.client !== undefined && isEchoed(exchange)) all["x-ms-client-request-id"] = ids.client;
  all["cache-control"] = "no-cache";
  if (bytes !== undefined) {
    // Messages are in English, whichever languages a client accepts.
    all["content-type"] = "application/json; charset=utf-8";
    all["content-language"] = "en";
  }
  // As bytes it is sent together with the other answers of this turn.
  exchange.send(status, headers === undefined ? all : Object.assign(all, headers), bytes ?? "");
}

function isEchoed({ headers }: Exchange): boolean {
  const wanted = headers["x-ms-return-client-request-id"];
  return typeof wanted === "string" && wanted.toLowerCase() === "true";
}

/** The Resource Manager accepts no larger body. Lists are shorter; an action may return more. */
const maxAnswerBytes = 8_000_000;

function bytesOf({ bytes, text, body }: ArmAnswer): Buffer | undefined {
  if (bytes !== undefined) return bytes;
  const whole = text ?? (body === undefined ? "" : JSON.stringify(body));
  if (whole.length > maxAnswerBytes / 3 && Buffer.byteLength(whole) > maxAnswerBytes) {
    throw new Error(`an answer of ${whole.length} characters is too large`);
  }
  return whole === "" ? undefined : Buffer.from(whole);
}
