// People who log in at an OpenID provider. Its keys are found through its discovery document and
// refreshed when a token names one that is not known; tokens of other issuers are none of ours.
// Claims become a name and groups, each with its prefix; whatever the prefixes, no provider can
// name users and groups of the system.

import { createRemoteJWKSet, customFetch, jwtVerify } from "jose";
import type { FetchImplementation } from "jose";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { quotedList } from "./rule-cover.ts";
import { audiencesOf, issuerOf } from "./service-account-token.ts";
import { badToken, commonAudiences } from "./token-authenticator.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";
import type { UserInfo } from "./user.ts";
import { verifiedTokens } from "./verified-tokens.ts";

export interface OidcProvider {
  readonly issuer: string;
  /** The token must be meant for one of these. */
  readonly clientIds: readonly string[];
  /** "sub" unless told. */
  readonly usernameClaim?: string | undefined;
  /** The issuer and "#" unless told, except for the claim "email". */
  readonly usernamePrefix?: string | undefined;
  readonly groupsClaim?: string | undefined;
  readonly groupsPrefix?: string | undefined;
  readonly requiredClaims?: Readonly<Record<string, string>> | undefined;
}

export interface OidcOptions {
  readonly provider: OidcProvider;
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
  /** With the certificate authority of the provider, where that is not a public one. */
  readonly fetch: FetchImplementation;
}

type Keys = ReturnType<typeof createRemoteJWKSet>;

const algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "EdDSA"];

export function oidcAuthenticator(options: OidcOptions): TokenAuthenticator {
  const { provider, apiAudiences, clock } = options;
  checkProvider(provider);
  const findKeys = keyFinder(options);
  const known = verifiedTokens<JsonObject>({ clock });
  return async (token, audiences) => {
    let claims = known.get(token);
    if (claims === undefined) {
      if (issuerOf(token) !== provider.issuer) return undefined;
      claims = await verify(token, provider.issuer, await findKeys(), clock);
      checkAudience(claims, provider);
      known.set(token, claims);
    }
    const expiry = claims["exp"];
    if (typeof expiry !== "number" || clock.nowMs() >= expiry * 1_000) {
      throw badToken("oidc: verify token: oidc: token is expired");
    }
    const meant = commonAudiences(apiAudiences, audiences);
    return meant.length === 0 ? undefined : { user: userOf(claims, provider), audiences: meant };
  };
}

function checkProvider({ issuer, clientIds }: OidcProvider): void {
  const isUsable = URL.canParse(issuer) && new URL(issuer).protocol === "https:";
  if (isUsable && clientIds.length > 0) return;
  const message = "an OpenID provider needs an https URL as its issuer and at least one client id";
  throw new SetpointError("config.invalid", message, { details: { issuer } });
}

/** Asks the provider once; after a failure not again for a while, so that it is not flooded. */
function keyFinder({ provider, clock, fetch }: OidcOptions): () => Promise<Keys> {
  let found: Promise<Keys> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (found === undefined && clock.nowMs() - failedAtMs < limits.openidRetryMs) {
      throw badToken("oidc: authenticator not initialized");
    }
    found ??= discover(provider.issuer, fetch);
    try {
      return await found;
    } catch (cause) {
      found = undefined;
      failedAtMs = clock.nowMs();
      throw badToken("oidc: authenticator not initialized", cause);
    }
  };
}

async function discover(issuer: string, fetch: FetchImplementation): Promise<Keys> {
  const url = `${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
  const answer = await fetch(url, {
    method: "GET",
    headers: new Headers({ accept: "application/json" }),
    redirect: "manual",
    signal: AbortSignal.timeout(limits.openidTimeoutMs),
  });
  const document: unknown = answer.ok ? await answer.json() : undefined;
  if (!isJsonObject(document) || textAt(document, "issuer") !== issuer) {
    throw new SetpointError("config.invalid", `${url} does not describe the issuer ${issuer}`);
  }
  const keysUrl = new URL(textAt(document, "jwks_uri"));
  if (keysUrl.protocol !== "https:") {
    throw new SetpointError("config.invalid", `${url} names keys that are not served by https`);
  }
  return createRemoteJWKSet(keysUrl, {
    timeoutDuration: limits.openidTimeoutMs,
    [customFetch]: fetch,
  });
}

async function verify(
  token: string,
  issuer: string,
  keys: Keys,
  clock: Clock,
): Promise<JsonObject> {
  const currentDate = new Date(clock.nowMs());
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, algorithms, currentDate });
    const claims: unknown = payload;
    if (isJsonObject(claims)) return claims;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw badToken(`oidc: verify token: ${why}`, cause);
  }
  throw badToken("oidc: parse claims: not an object");
}

function checkAudience(claims: JsonObject, { clientIds }: OidcProvider): void {
  const named = audiencesOf(claims);
  if (commonAudiences(clientIds, named).length > 0) return;
  const [wanted, got] = [quotedList(clientIds), quotedList(named)];
  throw badToken(`oidc: verify token: oidc: expected audience in ${wanted} got ${got}`);
}

function userOf(claims: JsonObject, provider: OidcProvider): UserInfo {
  const name = userNameOf(claims, provider);
  const groups = groupsOf(claims, provider);
  for (const [claim, wanted] of Object.entries(provider.requiredClaims ?? {})) {
    const value = getOwn(claims, claim);
    if (value === undefined) {
      throw badToken(`oidc: required claim ${claim} not present in ID token`);
    }
    if (value !== wanted) {
      throw badToken(`oidc: required claim ${claim} value does not match.`);
    }
  }
  const reserved = [name, ...groups].find((text) => text.startsWith("system:"));
  if (reserved === undefined) return { name, groups, extra: {} };
  throw badToken(`oidc: ${JSON.stringify(reserved)} uses the reserved prefix "system:"`);
}

function userNameOf(claims: JsonObject, { issuer, ...provider }: OidcProvider): string {
  const { usernameClaim = "sub", usernamePrefix } = provider;
  const value = getOwn(claims, usernameClaim);
  if (typeof value !== "string" || value === "") {
    throw badToken(
      `oidc: parse username claims ${JSON.stringify(usernameClaim)}: claim not present`,
    );
  }
  const isVerified = getOwn(claims, "email_verified") ?? true;
  if (usernameClaim === "email" && isVerified !== true) {
    throw badToken("oidc: email not verified");
  }
  return `${usernamePrefix ?? (usernameClaim === "email" ? "" : `${issuer}#`)}${value}`;
}

function groupsOf(claims: JsonObject, provider: OidcProvider): readonly string[] {
  const { groupsClaim, groupsPrefix = "" } = provider;
  if (groupsClaim === undefined) return [];
  const value = getOwn(claims, groupsClaim) ?? [];
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  return groups.map((group) => {
    if (typeof group === "string") return `${groupsPrefix}${group}`;
    throw badToken(`oidc: parse groups claim ${JSON.stringify(groupsClaim)}: not a string`);
  });
}
