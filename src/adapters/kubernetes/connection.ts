// One API server as the client calls it: authentication, limits, and answers as objects or errors.

import type {
  HttpAnswer,
  HttpClient,
  HttpFailure,
  HttpRequest,
  TlsMaterial,
} from "../http/port.ts";
import type { OpenHttp } from "../http/port.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { jsonOf } from "../../kernel/json-lines.ts";
import { textAt } from "../../kernel/json-read.ts";
import { KubeError } from "./port.ts";
import type { KubeClientOptions, Query } from "./port.ts";
import { withoutTrailing } from "../../kernel/trailing.ts";

export interface KubeConnection extends Disposable {
  readonly send: (call: Call) => Promise<JsonObject>;
  /** The request of a watch, without its limits. */
  readonly request: (method: string, path: string, signal: AbortSignal) => Promise<Prepared>;
  readonly http: HttpClient;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly contentType?: string;
  readonly body?: JsonObject;
}

type Prepared = Pick<HttpRequest, "place" | "target" | "headers" | "method" | "signal">;

const timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000 };
const maxBytes = 64 * 1_048_576;

export function openConnection(openHttp: OpenHttp, options: KubeClientOptions): KubeConnection {
  const { access, token, refuseAddress } = options;
  const refusal = refuseAddress === undefined ? {} : { refuseAddress };
  const http = openHttp({ tls: trustOf(access), ...refusal });
  const { origin, pathname } = new URL(access.server);
  const base = withoutTrailing(pathname, "/");
  const request: KubeConnection["request"] = async (method, path, signal) => {
    const bearer = await token();
    return {
      place: { kind: "origin", origin },
      method,
      target: `${base}${path}`,
      headers: {
        accept: "application/json",
        "user-agent": "setpoint",
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      signal,
    };
  };
  return {
    http,
    request,
    send: async (call) => {
      const { method, path, signal, contentType, body } = call;
      const prepared = await request(method, path, signal);
      const type = contentType === undefined ? {} : { "content-type": contentType };
      const headers = { ...prepared.headers, ...type };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return objectIn(call, await http.send({ ...prepared, headers, ...text, timeouts, maxBytes }));
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

export function withQuery(path: string, query: Query): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

function objectIn({ method, path, signal }: Call, result: HttpAnswer | HttpFailure): JsonObject {
  signal.throwIfAborted();
  const [plain] = path.split("?");
  if (result.kind === "failure") {
    const message = `${method} ${plain}: ${result.message}`;
    throw new KubeError(0, result.reason, message, { cause: result.cause });
  }
  const json = jsonOf(result.body);
  if (result.status < 300 && isJsonObject(json)) return json;
  throw kubeError(`${method} ${plain}`, result.status, json);
}

/** The error of a Status, or of an answer that is not one. */
export function kubeError(what: string, status: number, answer: Json | undefined): KubeError {
  const said = textAt(answer, "message").slice(0, 1_000);
  const message = said === "" ? `the server returned status ${status}` : said;
  return new KubeError(status, textAt(answer, "reason"), `${what}: ${message}`);
}

function trustOf({
  authority,
  isInsecure,
  serverName,
  certificate,
}: KubeClientOptions["access"]): TlsMaterial {
  return {
    // A person has asked for it in the kubeconfig.
    isUnverified: isInsecure,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(serverName === undefined ? {} : { serverName }),
    ...certificate,
  };
}
