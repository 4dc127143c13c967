/**
 * Calls webhooks over HTTPS. Connections are kept for each bundle of certificates, every call has a
 * time limit and a largest answer, and redirects are answers like any other: a webhook must not be
 * able to send the server's requests elsewhere. Failures have the texts that users of Kubernetes
 * know.
 */
import { getServers } from "node:dns";
import { httpWith } from "../adapters/http/client.ts";
import type { HttpClient, HttpFailure, OpenHttp } from "../adapters/http/port.ts";
import type {
  WebhookAnswer,
  WebhookFetch,
  WebhookRequest,
} from "../intents/kinds/conversion-webhook-call.ts";
import { limits } from "../kernel/limits.ts";
import { systemTimers } from "../kernel/timers.ts";

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Where a service is; undefined leaves its name to DNS. */
export type ServiceResolver = (host: string, port: number) => ServiceAddress | undefined;

export interface WebhookClientOptions {
  readonly resolveService?: ServiceResolver;
  readonly maxAnswerBytes?: number;
  readonly openHttp?: OpenHttp;
}

export interface WebhookClient extends Disposable {
  readonly fetch: WebhookFetch;
}

export function openWebhookClient(options: WebhookClientOptions = {}): WebhookClient {
  const { resolveService, maxAnswerBytes = limits.maxWebhookAnswerBytes } = options;
  const { openHttp = httpWith(systemTimers) } = options;
  const clients = new Map<string, HttpClient>();
  const clientFor = (caBundle: string): HttpClient => {
    const known = clients.get(caBundle);
    if (known !== undefined) return known;
    const tls = caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") };
    const opened = openHttp({ tls, maxConnections: limits.maxWebhookSockets });
    const [oldest] = clients.keys();
    if (clients.size >= limits.maxWebhookAgents && oldest !== undefined) {
      clients.get(oldest)?.[Symbol.dispose]();
      clients.delete(oldest);
    }
    clients.set(caBundle, opened);
    return opened;
  };
  return {
    fetch: async (url, request) =>
      await post(url, request, {
        http: clientFor(request.caBundle),
        resolveService,
        maxAnswerBytes,
      }),
    [Symbol.dispose]: () => {
      for (const client of clients.values()) client[Symbol.dispose]();
    },
  };
}

interface PostOptions {
  readonly http: HttpClient;
  readonly resolveService: ServiceResolver | undefined;
  readonly maxAnswerBytes: number;
}

async function post(
  url: string,
  request: WebhookRequest,
  { http, resolveService, maxAnswerBytes }: PostOptions,
): Promise<WebhookAnswer> {
  const { hostname, port: given, pathname, search, origin } = new URL(url);
  const port = given === "" ? 443 : Number(given);
  const host = hostname.replace(/^\[|\]$/g, "");
  // A certificate is for the name that was configured, wherever that was found.
  const found = host.endsWith(".svc") ? resolveService?.(host, port) : undefined;
  const result = await http.send({
    place: { kind: "origin", origin },
    ...(found === undefined ? {} : { connectTo: found }),
    method: request.method,
    target: `${pathname}${search}`,
    headers: { ...request.headers, host: `${hostname}:${port}` },
    body: request.body,
    timeouts: { totalMs: request.timeoutMs },
    maxBytes: maxAnswerBytes,
  });
  if (result.kind === "failure") throw networkError(result, host, maxAnswerBytes);
  const { status, headers, body } = result;
  return { status, contentType: headers["content-type"] ?? "", body: body.toString("utf8") };
}

const unknownAuthority = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
]);

/** The failure as an error with the text that users of Kubernetes know. */
function networkError(failure: HttpFailure, host: string, maxAnswerBytes: number): Error {
  const { reason, code, message, cause = new Error(message) } = failure;
  if (reason === "timeout") return Object.assign(new Error("late"), { name: "TimeoutError" });
  if (reason === "tooLarge") {
    return new Error(`response body is larger than ${maxAnswerBytes} bytes`);
  }
  if (code === "ENOTFOUND") {
    const [server] = getServers();
    const by = server === undefined ? "" : ` on ${server}:53`;
    return new Error(`dial tcp: lookup ${host}${by}: no such host`, { cause });
  }
  const problem = certificateProblem(cause, code, host);
  return problem === undefined ? cause : new Error(problem, { cause });
}

function certificateProblem(error: Error, code: string, host: string): string | undefined {
  const start = "tls: failed to verify certificate: x509:";
  if (unknownAuthority.has(code)) {
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
