/**
 * A client of a server's API for commands: JSON in, JSON out. Whatever goes wrong becomes an error
 * that says what to do: the server's own words where it has answered, and where it has not, which
 * address was tried and on whose word.
 */
import { request as httpRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { RequestOptions as SecureOptions } from "node:https";
import { SetpointError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import type { ClientConfig } from "./kubeconfig-file.ts";

export interface ApiClient {
  /** The namespace of the context. */
  readonly namespace: string;
  get(path: string, accept?: string): Promise<Json>;
  post(path: string, body: Json): Promise<Json>;
  /** A merge patch, unless the media type says otherwise. */
  patch(path: string, body: Json, mediaType?: string): Promise<Json>;
}

const timeoutMs = 30_000;
const maxBytes = 64 * 1_048_576;

export function apiClient(config: ClientConfig): ApiClient {
  return {
    namespace: config.namespace,
    get: async (path, accept = "application/json") =>
      await ask(config, path, { method: "GET", headers: { accept } }),
    post: async (path, body) => {
      const headers = { accept: "application/json", "content-type": "application/json" };
      return await ask(config, path, { method: "POST", headers }, JSON.stringify(body));
    },
    patch: async (path, body, mediaType = "application/merge-patch+json") => {
      const headers = { accept: "application/json", "content-type": mediaType };
      return await ask(config, path, { method: "PATCH", headers }, JSON.stringify(body));
    },
  };
}

interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function ask(
  config: ClientConfig,
  path: string,
  { method, headers }: Question,
  body?: string,
): Promise<Json> {
  const { token } = config;
  const login = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const agent = { "user-agent": "setpoint" };
  const options = { method, timeout: timeoutMs, headers: { ...agent, ...headers, ...login } };
  let answer: { readonly status: number; readonly text: string };
  try {
    answer = await send(config, path, options, body);
  } catch (cause) {
    throw unreachable(config, cause);
  }
  const json = jsonOf(answer.text);
  if (answer.status >= 400) throw refused(answer.status, json, answer.text);
  if (json === undefined) throw unreachable(config, new Error("the answer is not JSON"));
  return json;
}

function send(
  config: ClientConfig,
  path: string,
  options: RequestOptions,
  body: string | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const url = `${config.server}${path}`;
    const received = (response: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) asked.destroy(new Error("the answer is too large"));
        else chunks.push(chunk);
      });
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 500, text });
      });
    };
    const asked = url.startsWith("https:")
      ? httpsRequest(url, { ...options, ...trust(config) }, received)
      : httpRequest(url, options, received);
    asked.once("error", reject);
    asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.end(body);
  });
}

function trust({ authority, isInsecure, serverName, certificate }: ClientConfig): SecureOptions {
  return {
    // A person has asked for it in the kubeconfig.
    rejectUnauthorized: !isInsecure,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
  };
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Proxies and paths that nobody serves answer with plain text.
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

function refused(status: number, json: Json | undefined, text: string): SetpointError {
  const said = textAt(json, "message");
  const message =
    said === "" ? `the server answered ${status}: ${text.trim().slice(0, 200)}` : said;
  const code = codes[status] ?? (status >= 500 ? "server.unreachable" : "request.invalid");
  return new SetpointError(code, message, { details: { status } });
}

function unreachable({ server, source }: ClientConfig, cause: unknown): SetpointError {
  return new SetpointError("server.unreachable", `the server ${server} cannot be reached`, {
    cause,
    details: { server },
    suggestion: `see whether it runs, and whether the address in ${source} is right`,
  });
}
