// Calls of servers that speak JSON, over the HTTP client. Each authority (`ca`) has a client of its
// own, because a client trusts the same authorities on all its connections.

import { jsonProblem } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { failure } from "./failures.ts";
import type { CallJson, HttpAnswer, HttpClient, HttpFailure, JsonAnswer } from "./port.ts";
import type { JsonCall, OpenHttp } from "./port.ts";

export interface JsonCalls extends Disposable {
  readonly call: CallJson;
}

export function jsonCalls(open: OpenHttp): JsonCalls {
  const clients = new Map<string, HttpClient>();
  const clientFor = (ca: string): HttpClient => {
    const known = clients.get(ca);
    if (known !== undefined) {
      // The least recently used is the first.
      clients.delete(ca);
      clients.set(ca, known);
      return known;
    }
    forgetOldest(clients);
    const client = open(ca === "" ? {} : { tls: { ca, isPublicTrusted: true } });
    clients.set(ca, client);
    return client;
  };
  return {
    call: async (call) => {
      const result = await clientFor(call.ca ?? "").send(requestOf(call));
      return result.kind === "failure" ? result : answerOf(result);
    },
    [Symbol.dispose]: () => {
      for (const client of clients.values()) client[Symbol.dispose]();
      clients.clear();
    },
  };
}

/** A call over its connections ends as one whose connection is lost, and is tried again. */
function forgetOldest(clients: Map<string, HttpClient>): void {
  if (clients.size < limits.maxJsonAuthorities) return;
  for (const [ca, client] of clients) {
    clients.delete(ca);
    client[Symbol.dispose]();
    return;
  }
}

function requestOf(call: JsonCall): Parameters<HttpClient["send"]>[0] {
  const { method, url, headers = {}, body, timeoutMs, maxBytes, signal } = call;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const isRead = method === "GET" || method === "HEAD";
  return {
    place: { kind: "origin", origin: url.origin },
    method,
    target: `${url.pathname}${url.search}`,
    headers: {
      accept: "application/json",
      "user-agent": "setpoint",
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
    // A kept connection that the server has just closed would leave open whether a write was done.
    connection: isRead ? "shared" : "own",
    timeouts: { totalMs: timeoutMs },
    maxBytes,
    signal,
  };
}

function answerOf({ status, headers, body }: HttpAnswer): JsonAnswer | HttpFailure {
  const json = body.length === 0 ? undefined : jsonIn(body.toString("utf8"));
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && body.length > 0 && json === undefined) {
    return failure("invalid", "body", "the response is not JSON");
  }
  return { kind: "json", status, headers, json };
}

function jsonIn(text: string): Json | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return jsonProblem(parsed, limits.maxJsonDepth) === undefined ? (parsed as Json) : undefined;
  } catch {
    return undefined;
  }
}
