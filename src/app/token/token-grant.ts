// One request to the token endpoint (RFC 6749): how the client identifies itself, what an answer
// contains, and what to do about a refusal.
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt, valueAt } from "../../kernel/json-read.ts";
import type { Answer, Form, Issuer } from "./issuer-client.ts";

export interface TokenClient {
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
  /** A parameter of Auth0, Keycloak and others. */
  readonly audience?: string | undefined;
  /** RFC 8707: an absolute URI. */
  readonly resource?: string | undefined;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly expiresAtMs: number;
}

/** The characters of a bearer token (RFC 6750, 2.1). */
const tokenPattern = /^[-A-Za-z0-9._~+/]+=*$/;

/** Where an issuer does not state how long a token is valid. */
const defaultLifetimeSeconds = 300;

/** The fields of a grant, with the identity of the client as the issuer wants it. */
export function formOf(
  { authMethods }: Pick<Issuer, "authMethods">,
  client: TokenClient,
  grant: Readonly<Record<string, string>>,
): Form {
  const { clientId, clientSecret } = client;
  if (clientSecret === undefined) return { fields: { ...grant, client_id: clientId }, headers: {} };
  const isPosted =
    authMethods.includes("client_secret_post") && !authMethods.includes("client_secret_basic");
  if (isPosted) {
    const fields = { ...grant, client_id: clientId, client_secret: clientSecret };
    return { fields, headers: {} };
  }
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  return { fields: { ...grant, client_id: clientId }, headers: { authorization } };
}

/** The fields that say what the token is for. */
export function purposeOf({ scope, audience, resource }: TokenClient): Record<string, string> {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
    ...(resource === undefined ? {} : { resource }),
  };
}

export function tokensOf(answer: Answer, nowMs: number): Tokens {
  if (answer.kind === "refused") throw refusedBy(answer);
  const { document } = answer;
  const accessToken = textAt(document, "access_token");
  const type = textAt(document, "token_type");
  if (!tokenPattern.test(accessToken) || type.toLowerCase() !== "bearer") {
    throw new SetpointError("server.unreachable", "the issuer did not return a bearer token", {
      suggestion: "configure the client of the issuer for bearer tokens",
    });
  }
  const refreshToken = textAt(document, "refresh_token");
  return {
    accessToken,
    ...(refreshToken === "" ? {} : { refreshToken }),
    expiresAtMs: nowMs + lifetimeOf(document) * 1_000,
  };
}

export function refusedBy(refusal: Extract<Answer, { kind: "refused" }>): SetpointError {
  const { error, description } = refusal;
  const why = description === "" ? error : `${error}: ${description}`;
  return new SetpointError("request.unauthenticated", `the issuer refused the request: ${why}`, {
    details: { error },
    suggestion: fixes[error] ?? "correct the client in the issuer, or the options of this command",
  });
}

const fixes: Readonly<Record<string, string>> = {
  invalid_client: "check --client-id and the contents of --client-secret-file",
  unauthorized_client: "allow this grant for the client in the issuer",
  unsupported_grant_type: "allow this grant in the issuer",
  invalid_scope: "correct --scope, or allow the scope for the client in the issuer",
  invalid_target: "correct --resource or --audience",
  access_denied: "the login was refused; run the command again, and approve it",
  expired_token: "the code expired before the login; run the command again",
};

/** RFC 6749, 2.3.1: both parts of Basic are encoded as in a form. */
function formEncoded(text: string): string {
  return new URLSearchParams({ a: text }).toString().slice("a=".length);
}

/** Some issuers send the number as text. An unusable value counts as expired. */
function lifetimeOf(document: JsonObject): number {
  const seconds = Number(valueAt(document, "expires_in") ?? defaultLifetimeSeconds);
  return seconds > 0 && Number.isFinite(seconds) ? seconds : 0;
}
