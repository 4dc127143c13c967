// A request to the Resource Manager surface without a connection: what is sent is handed to the
// code of the server, and what it answers is kept.

import type { IncomingHttpHeaders } from "node:http";
import type { Authentication } from "../intents/auth/authentication.ts";
import { mastersGroup } from "../intents/auth/user.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Exchange, Headers } from "../surfaces/http/exchange.ts";

export interface ArmReply {
  readonly status: number;
  /** Names are in lower case, such as "azure-asyncoperation". */
  readonly headers: Headers;
  /** An empty object when there is none. */
  readonly body: JsonObject;
}

export interface ArmCall {
  readonly method: string;
  /** From the first slash on, or the whole URL that an answer has told. */
  readonly path: string;
  readonly body: Json | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whoever asks may do everything. */
export const anybody: Pick<Authentication, "authenticate"> = {
  authenticate: () =>
    Promise.resolve({ name: "test", groups: [mastersGroup, "system:authenticated"], extra: {} }),
};

/** The call as the server sees it, and its answer once there is one. */
export function exchangeFor(call: ArmCall): {
  readonly exchange: Exchange;
  readonly reply: () => ArmReply | undefined;
} {
  const { method, path, body } = call;
  const sent = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  const headers: IncomingHttpHeaders = {
    host: "localhost",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...call.headers,
  };
  let answer: ArmReply | undefined;
  const exchange: Exchange = {
    method,
    url: path.replace(/^https:\/\/[^/]+/, ""),
    headers,
    headerValues: (name) => [headers[name] ?? []].flat(),
    remoteAddress: "127.0.0.1",
    certificate: undefined,
    readBody: (maxBytes, tooLarge) =>
      sent.length > maxBytes ? Promise.reject(tooLarge()) : Promise.resolve(sent),
    send: (status, told, text = "") => {
      answer = { status, headers: told, body: bodyOf(text) };
    },
    begin: () => {
      throw new Error("no answer of this surface comes bit by bit");
    },
    get isAnswered() {
      return answer !== undefined;
    },
    get status() {
      return answer?.status ?? 0;
    },
    onClose: () => undefined,
    taken: () => undefined,
    pendingAnswerBytes: 0,
  };
  return { exchange, reply: () => answer };
}

function bodyOf(text: Buffer | string): JsonObject {
  const value: unknown = text.length === 0 ? {} : JSON.parse(text.toString());
  return isJsonObject(value) ? value : {};
}
