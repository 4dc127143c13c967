/**
 * Calls webhooks over HTTPS. Connections are kept for each bundle of certificates, every call has
 * a time limit and a largest answer, and redirects are answers like any other: a webhook must not
 * be able to send the server's requests elsewhere. Failures are told in the words that users of
 * Kubernetes know.
 */
import { getServers } from "node:dns";
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import type {
  WebhookAnswer,
  WebhookFetch,
  WebhookRequest,
} from "../intents/kinds/conversion-webhook-call.ts";
import { limits } from "../kernel/limits.ts";

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Where a service is; undefined leaves its name to DNS. */
export type ServiceResolver = (host: string, port: number) => ServiceAddress | undefined;

export interface WebhookClientOptions {
  readonly resolveService?: ServiceResolver;
  readonly maxAnswerBytes?: number;
}

export interface WebhookClient extends Disposable {
  readonly fetch: WebhookFetch;
}

export function openWebhookClient(options: WebhookClientOptions = {}): WebhookClient {
  const { resolveService, maxAnswerBytes = limits.maxWebhookAnswerBytes } = options;
  const agents = new Map<string, Agent>();
  const agentFor = (caBundle: string): Agent => {
    const known = agents.get(caBundle);
    if (known !== undefined) return known;
    const ca = caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") };
    const agent = new Agent({ keepAlive: true, maxSockets: limits.maxWebhookSockets, ...ca });
    const [oldest] = agents.keys();
    if (agents.size >= limits.maxWebhookAgents && oldest !== undefined) {
      agents.get(oldest)?.destroy();
      agents.delete(oldest);
    }
    agents.set(caBundle, agent);
    return agent;
  };
  return {
    fetch: (url, request) =>
      post(url, request, { agent: agentFor(request.caBundle), resolveService, maxAnswerBytes }),
    [Symbol.dispose]: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

interface PostOptions {
  readonly agent: Agent;
  readonly resolveService: ServiceResolver | undefined;
  readonly maxAnswerBytes: number;
}

function post(url: string, request: WebhookRequest, options: PostOptions): Promise<WebhookAnswer> {
  const { agent, resolveService, maxAnswerBytes } = options;
  const { hostname, port: given, pathname, search } = new URL(url);
  const port = given === "" ? 443 : Number(given);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isService = host.endsWith(".svc");
  const place = (isService ? resolveService?.(host, port) : undefined) ?? { host, port };
  const body = Buffer.from(request.body);
  const isAddress = /^[\d.]+$|:/.test(host);
  return new Promise((resolve, reject) => {
    const call = httpsRequest({
      agent,
      method: request.method,
      host: place.host,
      port: place.port,
      path: `${pathname}${search}`,
      headers: { ...request.headers, host: `${hostname}:${port}`, "content-length": body.length },
      // A certificate is for the name that was configured, wherever that was found.
      ...(isAddress ? {} : { servername: host }),
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    call.once("error", (error) => reject(networkError(error, host)));
    call.once("response", (response) => {
      readAnswer(response, maxAnswerBytes).then(resolve, (error: unknown) => {
        call.destroy();
        reject(networkError(error, host));
      });
    });
    call.end(body);
  });
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<WebhookAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`response body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

const unknownAuthority = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
]);

/** The same error, told as users of Kubernetes know it. */
function networkError(error: unknown, host: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = "code" in error ? error.code : undefined;
  if (code === "ABORT_ERR") return Object.assign(new Error("late"), { name: "TimeoutError" });
  if (code === "ENOTFOUND") {
    const [server] = getServers();
    const by = server === undefined ? "" : ` on ${server}:53`;
    return new Error(`dial tcp: lookup ${host}${by}: no such host`, { cause: error });
  }
  const problem = certificateProblem(error, code, host);
  return problem === undefined ? error : new Error(problem, { cause: error });
}

function certificateProblem(error: Error, code: unknown, host: string): string | undefined {
  const start = "tls: failed to verify certificate: x509:";
  if (typeof code === "string" && unknownAuthority.has(code)) {
    return `${start} certificate signed by unknown authority`;
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `${start} certificate has expired or is not yet valid`;
  }
  if (code !== "ERR_TLS_CERT_ALTNAME_INVALID") return undefined;
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
  const names = (cert?.subjectaltname ?? "")
    .split(", ")
    .map((name) => name.replace(/^(DNS|IP Address):/, ""))
    .filter((name) => name !== "");
  if (names.length === 0) {
    return `${start} certificate is not valid for any names, but wanted to match ${host}`;
  }
  return `${start} certificate is valid for ${names.join(", ")}, not ${host}`;
}
