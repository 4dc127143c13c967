// Requests to an OpenID issuer: its discovery document, and forms for its endpoints. Secrets are
// sent to https addresses only, or to this machine. A refusal of the issuer is data (RFC 6749).
import { httpWith } from "../../adapters/http/client.ts";
import type { HttpRequest } from "../../adapters/http/port.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt, textsAt } from "../../kernel/json-read.ts";
import { isHttps, isLoopbackHttp } from "../../kernel/secure-url.ts";
import { systemTimers } from "../../kernel/timers.ts";

export interface Issuer {
  readonly url: string;
  readonly tokenEndpoint: string;
  /** Absent where the issuer does not offer the device grant. */
  readonly deviceEndpoint: string | undefined;
  /** Empty where the issuer does not list them. */
  readonly scopes: readonly string[];
  readonly authMethods: readonly string[];
}

export type Answer =
  | { readonly kind: "ok"; readonly document: JsonObject }
  | {
      readonly kind: "refused";
      /** Such as "invalid_client". */
      readonly error: string;
      readonly description: string;
    };

export interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface IssuerClient {
  discover(): Promise<Issuer>;
  /** Throws server.unreachable when the issuer does not answer. */
  post(url: string, form: Form): Promise<Answer>;
}

const timeoutMs = 30_000;
const maxBytes = 1_048_576;
const maxShownChars = 300;

/** `authority` is the PEM of a certificate authority that is not a public one. */
export function issuerClient(url: string, authority: string | undefined): IssuerClient {
  checkAddress(url, "--issuer");
  const tls = authority === undefined ? {} : { ca: authority, isPublicTrusted: true };
  const http = httpWith(systemTimers)({ tls });
  const send = async (address: string, request: Sent): Promise<Received> => {
    const { origin, pathname, search } = new URL(address);
    const result = await http.send({
      ...request,
      place: { kind: "origin", origin },
      target: `${pathname}${search}`,
      headers: { accept: "application/json", "user-agent": "setpoint", ...request.headers },
      timeouts: { totalMs: timeoutMs },
      maxBytes,
    });
    if (result.kind === "failure") throw unreachable(address, result.cause ?? result.message);
    return { status: result.status, document: documentOf(result.body.toString("utf8")) };
  };
  return {
    discover: async () => issuerOf(url, await send(discoveryUrl(url), { method: "GET" })),
    post: async (address, { fields, headers }) => {
      const type = { "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams(fields).toString();
      const sent = { method: "POST", headers: { ...type, ...headers }, body };
      return answerOf(address, await send(address, sent));
    },
  };
}

type Sent = Pick<HttpRequest, "method" | "headers" | "body">;

interface Received {
  readonly status: number;
  /** Undefined where the body is not a JSON object. */
  readonly document: JsonObject | undefined;
}

function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

function issuerOf(url: string, { status, document }: Received): Issuer {
  if (status !== 200 || document === undefined) {
    throw new SetpointError("config.invalid", `${url} is not an OpenID issuer: status ${status}`, {
      suggestion: `open ${discoveryUrl(url)} and correct --issuer`,
    });
  }
  const named = textAt(document, "issuer");
  if (named !== url) {
    throw new SetpointError("config.invalid", `${url} describes another issuer`, {
      suggestion: `use --issuer ${printable(named)} if you trust it`,
    });
  }
  const endpoint = (name: string): string | undefined => {
    const address = textAt(document, name);
    if (address !== "") checkAddress(address, `${name} of the issuer`);
    return address === "" ? undefined : address;
  };
  const tokenEndpoint = endpoint("token_endpoint");
  if (tokenEndpoint === undefined) {
    throw new SetpointError("config.invalid", `${url} has no token endpoint`);
  }
  return {
    url,
    tokenEndpoint,
    deviceEndpoint: endpoint("device_authorization_endpoint"),
    scopes: textsAt(document, "scopes_supported"),
    authMethods: textsAt(document, "token_endpoint_auth_methods_supported"),
  };
}

function answerOf(address: string, { status, document }: Received): Answer {
  if (document === undefined || status >= 500) {
    throw unreachable(address, `status ${status}`);
  }
  if (status === 200) return { kind: "ok", document };
  const error = printable(textAt(document, "error")) || `status ${status}`;
  const description = printable(textAt(document, "error_description"));
  return { kind: "refused", error, description };
}

function checkAddress(url: string, what: string): void {
  if (isHttps(url) || isLoopbackHttp(url)) return;
  throw new SetpointError("config.invalid", `${what} ${printable(url)} is not a URL with https`, {
    details: { option: "issuer" },
    suggestion: "use https; http is accepted for 127.0.0.1 and localhost only",
  });
}

/** What an issuer sends is shown in a terminal: in the characters of RFC 6749, and shortened. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, maxShownChars);
}

function documentOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseExact(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Proxies answer with plain text.
    return undefined;
  }
}

function unreachable(address: string, reason: Error | string): SetpointError {
  const { origin } = new URL(address);
  return new SetpointError("server.unreachable", `no usable response from ${origin}`, {
    cause: reason instanceof Error ? reason : new Error(reason),
    suggestion: "check --issuer; if its certificate authority is not public, name it by --ca-file",
  });
}
