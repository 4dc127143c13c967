/**
 * A client of a server's API for commands: JSON in, JSON out. Whatever goes wrong becomes an error
 * that says what to do: the server's own words where it has answered, and where it has not, which
 * address was tried and on whose word.
 */
import { httpWith } from "../../adapters/http/client.ts";
import type { HttpClient, HttpRequest, TlsMaterial } from "../../adapters/http/port.ts";
import { SetpointError, catalogue } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { jsonLines } from "../../kernel/json-lines.ts";
import { listAt, numberAt, textAt } from "../../kernel/json-read.ts";
import { systemTimers } from "../../kernel/timers.ts";
import type { KubeAccess } from "../../kernel/kubeconfig.ts";

export interface ApiClient {
  /** The namespace of the context. */
  readonly namespace: string;
  get(path: string, accept?: string): Promise<Json>;
  post(path: string, body: Json, headers?: Readonly<Record<string, string>>): Promise<Json>;
  /** A merge patch, unless the media type says otherwise. */
  patch(path: string, body: Json, mediaType?: string): Promise<Json>;
  delete(path: string): Promise<Json>;
  /** The items of a stream of the REST API, until it ends or the caller leaves the loop. */
  lines(path: string): AsyncIterable<JsonObject>;
}

const timeoutMs = 30_000;
const maxBytes = 64 * 1_048_576;
const maxLineChars = 16 * 1_048_576;

export function apiClient(config: KubeAccess): ApiClient {
  const http = httpWith(systemTimers)({ tls: trust(config) });
  const ask = (path: string, question: Question): Promise<Json> =>
    answerTo(http, config, path, question);
  return {
    namespace: config.namespace,
    get: async (path, accept = "application/json") =>
      await ask(path, { method: "GET", headers: { accept } }),
    post: async (path, body, given = {}) => {
      const json = "application/json";
      const headers = { accept: json, "content-type": json, ...given };
      return await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
    },
    patch: async (path, body, mediaType = "application/merge-patch+json") => {
      const headers = { accept: "application/json", "content-type": mediaType };
      return await ask(path, { method: "PATCH", headers, body: JSON.stringify(body) });
    },
    delete: async (path) =>
      await ask(path, { method: "DELETE", headers: { accept: "application/json" } }),
    lines: (path) => linesOf(http, config, path),
  };
}

async function* linesOf(
  http: HttpClient,
  config: KubeAccess,
  path: string,
): AsyncGenerator<JsonObject> {
  const headers = { accept: "application/x-ndjson" };
  const timeouts = { connectMs: timeoutMs, headersMs: timeoutMs };
  const asked = requestTo(config, path, { method: "GET", headers });
  const opened = await http.stream({ ...asked, timeouts, maxBytes: Number.MAX_SAFE_INTEGER });
  if (opened.kind === "failure") {
    throw unreachable(config, opened.cause ?? new Error(opened.message));
  }
  using stream = opened;
  if (stream.status >= 400) {
    const parts: Buffer[] = [];
    for await (const part of stream.body) parts.push(part);
    const text = Buffer.concat(parts).toString("utf8");
    throw refused(stream.status, jsonOf(text), text);
  }
  for await (const item of jsonLines(stream.body, maxLineChars)) {
    const problem = textAt(item, "type") === "problem" ? item["problem"] : undefined;
    if (problem === undefined) yield item;
    else throw refused(numberAt(problem, "status") ?? 500, problem, "");
  }
}

interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function answerTo(
  http: HttpClient,
  config: KubeAccess,
  path: string,
  question: Question,
): Promise<Json> {
  let answer: { readonly status: number; readonly text: string };
  try {
    answer = await send(http, config, path, question);
  } catch (cause) {
    throw unreachable(config, cause);
  }
  const json = jsonOf(answer.text);
  if (answer.status >= 400) throw refused(answer.status, json, answer.text);
  if (json === undefined) throw unreachable(config, new Error("the response is not JSON"));
  return json;
}

function requestTo(
  { server, token }: KubeAccess,
  path: string,
  question: Question,
): Omit<HttpRequest, "timeouts" | "maxBytes"> {
  const { origin, pathname, search } = new URL(`${server}${path}`);
  const login = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    ...question,
    place: { kind: "origin", origin },
    target: `${pathname}${search}`,
    headers: { "user-agent": "setpoint", ...question.headers, ...login },
  };
}

async function send(
  http: HttpClient,
  config: KubeAccess,
  path: string,
  question: Question,
): Promise<{ readonly status: number; readonly text: string }> {
  const result = await http.send({
    ...requestTo(config, path, question),
    timeouts: { connectMs: timeoutMs, headersMs: timeoutMs, bodyMs: timeoutMs },
    maxBytes,
  });
  if (result.kind === "answer") {
    return { status: result.status, text: result.body.toString("utf8") };
  }
  if (result.reason === "timeout") throw new Error("no response in time");
  if (result.reason === "tooLarge") throw new Error("the response is too large");
  throw result.cause ?? new Error(result.message);
}

function trust({ authority, isInsecure, serverName, certificate }: KubeAccess): TlsMaterial {
  return {
    // A person has asked for it in the kubeconfig.
    isUnverified: isInsecure,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(serverName === undefined ? {} : { serverName }),
    ...certificate,
  };
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseExact(text) as Json;
  } catch {
    // Proxies, and paths that are not served, answer with plain text.
    return undefined;
  }
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: "request.unauthenticated",
  403: "request.forbidden",
  404: "resource.not_found",
  405: "request.method_not_allowed",
  409: "resource.conflict",
  422: "resource.invalid",
  429: "request.overloaded",
};

/** The error of a Kubernetes Status, or of a problem document of the REST API. */
function refused(status: number, json: Json | undefined, text: string): SetpointError {
  const said = textAt(json, "message") || textAt(json, "detail");
  const message =
    said === "" ? `the server returned status ${status}: ${text.trim().slice(0, 200)}` : said;
  const usual = codes[status] ?? (status >= 500 ? "server.unreachable" : "request.invalid");
  const own = textAt(json, "code");
  const code = Object.hasOwn(catalogue, own) ? (own as ErrorCode) : usual;
  const suggestion = textAt(json, "suggestion");
  return new SetpointError(code, message, {
    details: { status, errors: listAt(json, "errors") },
    ...(suggestion === "" ? {} : { suggestion }),
  });
}

function unreachable({ server, source }: KubeAccess, cause: unknown): SetpointError {
  return new SetpointError("server.unreachable", `the server ${server} cannot be reached`, {
    cause,
    details: { server },
    suggestion: `check that the server runs, and that the address in ${source} is right`,
  });
}
