// Users of an OpenID provider. A token is good if it names the issuer, is signed by one of the
// issuer's keys with an asymmetric algorithm, and its claims are as configured. Tokens of other
// issuers belong to other authenticators.

import { compactVerify, errors } from "jose";
import type { CompactVerifyGetKey, FetchImplementation } from "jose";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { checkTimes, oidcUser } from "./oidc-claims.ts";
import { oidcKeys } from "./oidc-keys.ts";
import type { OidcKeys } from "./oidc-keys.ts";
import { providerProblem } from "./oidc-provider.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { badToken, refusedAlgorithm } from "./refusal.ts";
import type { Refusal } from "./refusal.ts";
import { commonAudiences } from "./token-authenticator.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";
import { unverifiedHeader, unverifiedIssuer } from "./unverified-token.ts";
import type { UserInfo } from "./user.ts";
import { verifiedTokens } from "./verified-tokens.ts";

export interface OidcOptions {
  readonly provider: OidcProvider;
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
  /** With the certificate authority of the provider, if that is not a public one. */
  readonly fetch: FetchImplementation;
  /** The keys of the provider cannot be read. */
  readonly onFailure?: (error: unknown) => void;
}

interface Verified {
  readonly claims: JsonObject;
  readonly user: UserInfo;
}

const algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "EdDSA"];

export function oidcAuthenticator(options: OidcOptions): TokenAuthenticator {
  const { provider, apiAudiences, clock, fetch, onFailure = () => undefined } = options;
  checkProvider(provider);
  const known = verifiedTokens<Verified>({ clock });
  let generation = 0;
  const onChange = (): void => {
    generation += 1;
    known.clear();
  };
  const keys = oidcKeys({ provider, clock, fetch, onChange, onFailure });
  return async (token, audiences) => {
    if (known.get(token) === undefined && unverifiedIssuer(token) !== provider.issuer) {
      return undefined;
    }
    await keys.freshen();
    let verified = known.get(token);
    if (verified === undefined) {
      const verifiedBy = generation;
      verified = await verify(token, provider, keys, clock);
      // A result by keys that were replaced during the verification is used once.
      if (generation === verifiedBy) known.set(token, verified);
    }
    checkTimes(verified.claims, provider, clock.nowMs());
    const meant = commonAudiences(apiAudiences, audiences);
    return meant.length === 0 ? undefined : { user: verified.user, audiences: meant };
  };
}

function checkProvider(provider: OidcProvider): void {
  const found = providerProblem(provider);
  if (found === undefined) return;
  const { issuer } = provider;
  const message = `OpenID provider ${issuer}: ${found.field} ${found.problem}`;
  throw new SetpointError("config.invalid", message, { details: { issuer, field: found.field } });
}

async function verify(
  token: string,
  provider: OidcProvider,
  keys: OidcKeys,
  clock: Clock,
): Promise<Verified> {
  const { algorithm } = unverifiedHeader(token);
  if (!algorithms.includes(algorithm)) throw badToken(refusedAlgorithm(algorithm, algorithms));
  let payload = await verifiedPayload(token, keys);
  if (payload === undefined) {
    await keys.readAgain();
    payload = await verifiedPayload(token, keys);
  }
  if (payload === undefined) {
    throw badToken(keys.sets().length === 0 ? keysUnavailable : unknownKey);
  }
  const claims = claimsOf(payload);
  checkTimes(claims, provider, clock.nowMs());
  return { claims, user: oidcUser(claims, provider) };
}

const keysUnavailable: Refusal = {
  fault: "keys-unavailable",
  reason: "unverifiable token: the keys of its issuer cannot be read",
};

const unknownKey: Refusal = {
  fault: "unknown-key",
  reason: "unverifiable token: its issuer has no key with this id",
};

/** Undefined when no set has the key that the token names. */
async function verifiedPayload(token: string, keys: OidcKeys): Promise<Uint8Array | undefined> {
  let failure: unknown;
  for (const set of keys.sets()) {
    try {
      return await payloadBy(token, set);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) failure = error;
    }
  }
  if (failure === undefined) return undefined;
  throw badSignature(failure);
}

/** A token without a key id may be signed by any key of its algorithm. */
async function payloadBy(token: string, key: CompactVerifyGetKey): Promise<Uint8Array> {
  try {
    return (await compactVerify(token, key, { algorithms })).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let failure: unknown = error;
    for await (const candidate of error) {
      try {
        return (await compactVerify(token, candidate, { algorithms })).payload;
      } catch (refusal) {
        failure = refusal;
      }
    }
    throw failure;
  }
}

function badSignature(cause: unknown): Error {
  if (cause instanceof errors.JWSInvalid) {
    return badToken({ fault: "malformed", reason: "malformed token" }, cause);
  }
  return badToken({ fault: "bad-signature", reason: "bad signature" }, cause);
}

function claimsOf(payload: Uint8Array): JsonObject {
  const claims: unknown = parseExact(Buffer.from(payload).toString("utf8"));
  if (isJsonObject(claims)) return claims;
  throw badToken({ fault: "malformed", reason: "malformed token: its claims are not an object" });
}
