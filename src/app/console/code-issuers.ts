/** OpenID providers with which users sign in to the console: discovery, and codes for tokens. */
import { readFileSync } from "node:fs";
import { httpWith } from "../../adapters/http/client.ts";
import type { HttpClient } from "../../adapters/http/port.ts";
import { isTrustedAddress } from "../../intents/auth/oidc-provider.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt, textsAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { systemTimers } from "../../kernel/timers.ts";
import type { CodeExchange, CodeIssuer } from "../../surfaces/console/oidc/code-issuer.ts";
import type { OidcFileConfig } from "../oidc-file.ts";

export interface CodeClientConfig {
  readonly clientId: string;
  /** Without one the client is public, and PKCE alone protects its codes. */
  readonly clientSecretFile?: string;
  readonly name?: string;
  readonly scopes?: readonly string[];
}

const maxBytes = 1_048_576;
const maxConnections = 4;
const discoveryTtlMs = 600_000;

/** Of the entries of the configuration that name a client for the console. */
export function codeIssuers(oidc: readonly OidcFileConfig[], clock: Clock): readonly CodeIssuer[] {
  const issuers = oidc.flatMap((provider) =>
    provider.console === undefined ? [] : [codeIssuer(provider, provider.console, clock)],
  );
  const names = issuers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return issuers;
  throw new SetpointError("config.invalid", `two OpenID providers have the name ${twice}`, {
    details: { option: "oidc" },
    suggestion: "give each provider its own console.name",
  });
}

function codeIssuer(provider: OidcFileConfig, client: CodeClientConfig, clock: Clock): CodeIssuer {
  const { issuer, caFile } = provider;
  const { clientId, clientSecretFile, scopes = [], name = new URL(issuer).host } = client;
  const ca = caFile === undefined ? undefined : readFileSync(caFile, "utf8");
  const tls = ca === undefined ? {} : { ca, isPublicTrusted: true };
  const http = httpWith(systemTimers)({ tls, maxConnections });
  const secret = clientSecretFile === undefined ? undefined : readSecret(clientSecretFile);
  let known: { readonly document: JsonObject; readonly untilMs: number } | undefined;
  const discover = async (): Promise<JsonObject> => {
    if (known !== undefined && clock.nowMs() < known.untilMs) return known.document;
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = await call(http, "GET", url);
    if (textAt(document, "issuer") !== issuer) throw failed("names another issuer");
    known = { document, untilMs: clock.nowMs() + discoveryTtlMs };
    return document;
  };
  const endpoint = async (field: string): Promise<string> => {
    const url = textAt(await discover(), field);
    // A description that was tampered with must not receive codes and the secret of the client.
    if (!isTrustedAddress(url, provider)) throw failed(`has no usable ${field}`);
    return url;
  };
  return {
    name,
    issuer,
    clientId,
    scopes: ["openid", ...scopes.filter((scope) => scope !== "openid")],
    authorizationEndpoint: () => endpoint("authorization_endpoint"),
    exchangeCode: async (exchange) => {
      const url = await endpoint("token_endpoint");
      const methods = textsAt(await discover(), "token_endpoint_auth_methods_supported");
      const { headers, fields } = clientProof(clientId, secret, methods);
      const body = new URLSearchParams({ ...fieldsOf(exchange), ...fields }).toString();
      const token = textAt(await call(http, "POST", url, headers, body), "id_token");
      if (token === "") throw failed("issued no ID token");
      return token;
    },
  };
}

function fieldsOf({ code, verifier, redirectUri }: CodeExchange): Record<string, string> {
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
}

interface ClientProof {
  readonly headers: Record<string, string>;
  readonly fields: Record<string, string>;
}

/** In the header, unless the provider accepts the secret in the body only (RFC 6749, 2.3.1). */
function clientProof(
  clientId: string,
  secret: string | undefined,
  methods: readonly string[],
): ClientProof {
  if (secret === undefined) return { headers: {}, fields: { client_id: clientId } };
  const isInBody = methods.length > 0 && !methods.includes("client_secret_basic");
  if (isInBody) return { headers: {}, fields: { client_id: clientId, client_secret: secret } };
  const pair = [clientId, secret].map((text) => formEncoded(text)).join(":");
  const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  return { headers: { authorization }, fields: {} };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice("text=".length);
}

async function call(
  http: HttpClient,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<JsonObject> {
  const { origin, pathname, search } = new URL(url);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const result = await http.send({
    place: { kind: "origin", origin },
    method,
    target: `${pathname}${search}`,
    headers: { accept: "application/json", ...(body === undefined ? {} : form), ...headers },
    ...(body === undefined ? {} : { body }),
    timeouts: { totalMs: limits.openidTimeoutMs },
    maxBytes,
  });
  if (result.kind !== "answer") throw result.cause ?? new Error(result.message);
  const document = objectIn(result.body);
  if (result.status === 200) return document;
  // The error of RFC 6749 is one of a few words, and contains nothing that was sent.
  throw failed(`answered ${result.status} ${textAt(document, "error").slice(0, 100)}`.trim());
}

function objectIn(body: Buffer): JsonObject {
  try {
    const value = parseExact(body.toString("utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    // An error page, whose status is reported.
    return {};
  }
}

function failed(what: string): Error {
  return new Error(`the OpenID provider ${what}`);
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new SetpointError("config.invalid", `the file ${path} cannot be read`, {
      cause,
      details: { option: "oidc", path },
      suggestion: "correct console.clientSecretFile in the configuration file",
    });
  }
}
