// A request to the surface of a module without a connection: the code of the server receives the
// request, and its answer is kept.

import type { IncomingHttpHeaders } from "node:http";
import type { Authentication } from "../intents/auth/authentication.ts";
import type { RoleHolders } from "../intents/auth/role-holders.ts";
import { mastersGroup } from "../intents/auth/user.ts";
import { parseExact } from "../kernel/int64.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Exchange, Headers } from "../surfaces/http/exchange.ts";

export interface HttpReply {
  readonly status: number;
  /** Names are in lower case, such as "azure-asyncoperation". */
  readonly headers: Headers;
  /** An empty object when there is none. */
  readonly body: JsonObject;
}

export interface HttpCall {
  readonly method: string;
  /** From the first slash on, or a whole URL from an earlier answer. */
  readonly path: string;
  readonly body: Json | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The caller may do everything. */
export const anybody: Pick<Authentication, "authenticate"> = {
  authenticate: () =>
    Promise.resolve({ name: "test", groups: [mastersGroup, "system:authenticated"], extra: {} }),
};

export const everyRole: RoleHolders = { holdsRoleIn: () => true, holdsAnyRole: () => true };

/** The call as the server sees it, and its answer once there is one. */
export function exchangeFor(call: HttpCall): {
  readonly exchange: Exchange;
  readonly reply: () => HttpReply | undefined;
} {
  const { method, path, body } = call;
  const sent = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  const headers: IncomingHttpHeaders = {
    host: "localhost",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...call.headers,
  };
  let answer: HttpReply | undefined;
  const exchange: Exchange = {
    method,
    url: path.replace(/^https:\/\/[^/]+/, ""),
    headers,
    headerValues: (name) => [headers[name] ?? []].flat(),
    remoteAddress: "127.0.0.1",
    isSecure: true,
    certificate: undefined,
    isBodyInTransit: false,
    bodyBytesAhead: 0,
    admitted: () => undefined,
    exempted: () => undefined,
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
    cutOff: () => undefined,
    onClose: () => undefined,
    taken: () => undefined,
    reserve: () => undefined,
    reserveDocument: () => undefined,
    hold: () => undefined,
    keep: () => undefined,
    pageTurn: () => undefined,
    pageRead: () => undefined,
  };
  return { exchange, reply: () => answer };
}

function bodyOf(text: Buffer | string): JsonObject {
  const value: unknown = text.length === 0 ? {} : parseExact(text.toString());
  return isJsonObject(value) ? value : {};
}
