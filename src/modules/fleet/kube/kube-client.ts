/**
 * A client of a Kubernetes API over the HTTP port: reads, server-side apply, deletion and pages of
 * lists. Every call has a time limit and a limit on the size of its answer. What the server refuses
 * is a KubeError with its status and its message, which never holds what was sent.
 */
import type {
  HttpAnswer,
  HttpClient,
  HttpFailure,
  HttpRequest,
} from "../../../adapters/http/port.ts";
import type { OpenHttp, TlsMaterial } from "../../../adapters/http/port.ts";
import { parseExact } from "../../../kernel/int64.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";

export interface KubeClient extends Disposable {
  /** Undefined when it does not exist. */
  get(path: string, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** All pages of a list, item by item, and the resourceVersion of the list at its end. */
  list(path: string, query: Query, signal: AbortSignal): Promise<KubeList>;
  /** Server-side apply: creates the object or brings it to what is given. */
  apply(path: string, object: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** False when it does not exist. With a uid, only that object is deleted. */
  delete(path: string, uid: string | undefined, signal: AbortSignal): Promise<boolean>;
  /** The request of a watch or of another call of the same server, without its body. */
  request(method: string, path: string, signal: AbortSignal): Promise<Prepared>;
  readonly http: HttpClient;
}

export type Query = Readonly<Record<string, string>>;
export type Prepared = Pick<HttpRequest, "place" | "target" | "headers" | "method" | "signal">;

export interface KubeList {
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
}

/** What a server or the network did. */
export class KubeError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "KubeError";
    this.status = status;
    this.reason = reason;
  }

  /** The same request fails again until someone changes it, its object or its rights. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && ![401, 408, 409, 429].includes(this.status);
  }
}

export interface KubeClientOptions {
  readonly access: Omit<KubeAccess, "token" | "namespace" | "source">;
  /** Asked for each request, so that a token can be replaced while the client is used. */
  readonly token: () => Promise<string | undefined> | string | undefined;
  readonly openHttp: OpenHttp;
  readonly fieldManager: string;
}

const timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000 };
const maxBytes = 64 * 1_048_576;
const pageItems = 500;
/** A list that does not end is a fault of the server. */
const maxPages = 1_000;

export function openKubeClient(options: KubeClientOptions): KubeClient {
  const { access, token, openHttp, fieldManager } = options;
  const http = openHttp({ tls: trustOf(access) });
  const { origin, pathname } = new URL(access.server);
  const base = pathname.replace(/\/+$/, "");
  const request: KubeClient["request"] = async (method, path, signal) => {
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
  const send = async (call: Call): Promise<JsonObject> => {
    const { method, path, signal, contentType, body } = call;
    const prepared = await request(method, path, signal);
    const type = contentType === undefined ? {} : { "content-type": contentType };
    const headers = { ...prepared.headers, ...type };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return objectIn(call, await http.send({ ...prepared, headers, ...text, timeouts, maxBytes }));
  };
  return {
    http,
    request,
    get: async (path, signal) => await existing(send({ method: "GET", path, signal })),
    list: async (path, query, signal) => await allPages(send, path, query, signal),
    apply: async (path, body, signal) => {
      const target = withQuery(path, { fieldManager, force: "true" });
      const contentType = "application/apply-patch+yaml";
      return await send({ method: "PATCH", path: target, signal, contentType, body });
    },
    delete: async (path, uid, signal) => {
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      const body = { propagationPolicy: "Background", ...preconditions };
      const contentType = "application/json";
      const call = { method: "DELETE", path, signal, contentType, body };
      return (await existing(send(call))) !== undefined;
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

export function withQuery(path: string, query: Query): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly contentType?: string;
  readonly body?: JsonObject;
}

type Send = (call: Call) => Promise<JsonObject>;

async function allPages(
  send: Send,
  path: string,
  query: Query,
  signal: AbortSignal,
): Promise<KubeList> {
  const items: JsonObject[] = [];
  let next = "";
  for (let pages = 0; pages < maxPages; pages += 1) {
    const from = next === "" ? {} : { continue: next };
    const target = withQuery(path, { ...query, limit: String(pageItems), ...from });
    const page = await send({ method: "GET", path: target, signal });
    items.push(...objectsAt(page, "items"));
    next = textAt(page, "metadata", "continue");
    if (next === "") {
      return { items, resourceVersion: textAt(page, "metadata", "resourceVersion") };
    }
  }
  throw new KubeError(0, "TooManyPages", `the list ${path} has more than ${maxPages} pages`);
}

async function existing(answer: Promise<JsonObject>): Promise<JsonObject | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
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

export function jsonOf(body: Buffer): Json | undefined {
  try {
    return parseExact(body.toString("utf8")) as Json;
  } catch {
    // Proxies, and paths that are not served, answer with plain text.
    return undefined;
  }
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
