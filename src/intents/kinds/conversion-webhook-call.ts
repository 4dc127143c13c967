// One call of a webhook: where it goes, and what its failures are called. How bytes travel is the
// business of the port, so that tests and simulations need no network; the texts are those of the
// client that Kubernetes uses, since they end up in answers to users.

import { SetpointError } from "../../kernel/errors.ts";
import { jsonName } from "../../kernel/go-text.ts";
import { parseExact } from "../../kernel/int64.ts";
import { getOwn, isJsonObject, jsonProblem } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";

export type WebhookAddress =
  | { readonly kind: "url"; readonly url: string }
  | {
      readonly kind: "service";
      readonly namespace: string;
      readonly name: string;
      readonly port: number;
      readonly path: string;
    };

export interface WebhookRequest {
  readonly method: "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Base64 of PEM; empty for the certificates of the system. */
  readonly caBundle: string;
  readonly timeoutMs: number;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Rejects when no answer came, with the `code` of the system's error where there is one. */
export type WebhookFetch = (url: string, request: WebhookRequest) => Promise<WebhookAnswer>;

export interface WebhookCallOptions {
  readonly timeoutMs: number;
  readonly fetch: WebhookFetch;
}

/** The JSON that the webhook answered; everything else is an error with a text for users. */
export async function callWebhook(
  address: WebhookAddress,
  caBundle: string,
  body: Json,
  { timeoutMs, fetch }: WebhookCallOptions,
): Promise<JsonObject> {
  const url = `${urlOf(address)}?timeout=${timeoutMs / 1000}s`;
  const headers = { "content-type": "application/json", accept: "application/json, */*" };
  const text = JSON.stringify(body);
  let answer: WebhookAnswer;
  try {
    answer = await fetch(url, { method: "POST", headers, body: text, caBundle, timeoutMs });
  } catch (error) {
    throw failed(`Post ${JSON.stringify(url)}: ${networkProblem(error, url)}`, error);
  }
  if (answer.status < 200 || answer.status > 206) throw failed(statusProblem(answer));
  return parsed(answer);
}

/** Services are found under the name that their certificates carry. */
export function urlOf(address: WebhookAddress): string {
  if (address.kind === "url") return address.url;
  const { name, namespace, port, path } = address;
  const slash = path === "" || path.startsWith("/") ? "" : "/";
  return `https://${name}.${namespace}.svc:${port}${slash}${path}`;
}

function parsed({ body, status, contentType }: WebhookAnswer): JsonObject {
  if (body === "") {
    const type = contentType === "" ? "application/json" : contentType;
    throw failed(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const json = parsedJson(body);
  if (!isJsonObject(json)) {
    throw failed(`${unreadable} ${jsonName(json)} into Go value of ${header}`);
  }
  const problem = jsonProblem(json, limits.maxJsonDepth);
  if (problem !== undefined) throw failed(`json parse error: ${problem}`);
  const message = failureMessage(json);
  if (message !== undefined) throw failed(message);
  return json;
}

/** What is not JSON is read as YAML by Kubernetes, to which almost any text is a string. */
function parsedJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw failed(`${unreadable} string into Go value of ${header}`, error);
  }
}

const unreadable = "couldn't get version/kind; json parse error: json: cannot unmarshal";
const header =
  'type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
  'Kind string "json:\\"kind,omitempty\\"" }';

/** The message of a Status that tells of a failure. */
function failureMessage(json: JsonObject): string | undefined {
  if (getOwn(json, "kind") !== "Status" || getOwn(json, "status") !== "Failure") return undefined;
  const message = getOwn(json, "message");
  return typeof message === "string" ? message : "unknown";
}

/** What a client says about a status that has no words of its own. */
const statusTexts: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [
    504,
    "the server was unable to return a response in the time allotted, " +
      "but may still be processing the request",
  ],
]);

function statusProblem({ status, contentType, body }: WebhookAnswer): string {
  const json = bodyOrUndefined(body);
  const told = json === undefined ? undefined : failureMessage(json);
  if (told !== undefined) return told;
  const isText = contentType === "" || contentType.startsWith("text/");
  const words = isText ? body.trim() : "unknown";
  if (status === 403 || status === 406 || status === 415) return words;
  const text = statusTexts.get(status);
  if (text !== undefined) return text;
  if (status < 500) {
    const more = "but did not return more information";
    return `the server responded with the status code ${status} ${more}`;
  }
  const quoted = JSON.stringify(words);
  return `an error on the server (${quoted}) has prevented the request from succeeding`;
}

function bodyOrUndefined(body: string): JsonObject | undefined {
  if (!body.trimStart().startsWith("{")) return undefined;
  try {
    const json: unknown = parseExact(body);
    return isJsonObject(json) ? json : undefined;
  } catch {
    // The body of a failure may be anything; the status says enough.
    return undefined;
  }
}

function networkProblem(error: unknown, url: string): string {
  const { hostname, port } = new URL(url);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const target = `${hostname}:${port === "" ? "443" : port}`;
  if (code === "ECONNREFUSED") return `dial tcp ${target}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  const isLate = code === "ETIMEDOUT" || (error instanceof Error && error.name === "TimeoutError");
  if (isLate) return "context deadline exceeded";
  return error instanceof Error ? error.message : "unknown";
}

function failed(message: string, cause?: unknown): SetpointError {
  return new SetpointError("webhook.failed", message, { cause });
}
