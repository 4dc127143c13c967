// Tokens of service accounts: signed by us, bound to the identity of the account and, if asked for,
// of a Secret. A token dies with what it is bound to, at once: existence is asked on each use.
// Claims and messages are those of Kubernetes, so that its client libraries read them.

import { SignJWT, compactVerify } from "jose";
import type { Clock } from "../../kernel/clock.ts";
import type { Ids } from "../../kernel/ids.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { badToken, refusedAlgorithm } from "./refusal.ts";
import type { Fault } from "./refusal.ts";
import { quotedList } from "./rule-cover.ts";
import type { SigningKey } from "./signing-key.ts";
import { commonAudiences } from "./token-authenticator.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";
import { credentialIdKey, serviceAccountGroups, serviceAccountUserName } from "./user.ts";
import { unverifiedHeader, unverifiedIssuer } from "./unverified-token.ts";
import { verifiedTokens } from "./verified-tokens.ts";

/** The name under which clients inside Kubernetes know the API, so that their tokens fit here. */
export const tokenIssuer = "https://kubernetes.default.svc.cluster.local";

export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

export interface StoredObject {
  readonly uid: string;
  /** Set while the object waits for its finalizers. */
  readonly deletedAtMs?: number | undefined;
}

type Found = StoredObject | undefined;

export interface TokenLookup {
  serviceAccount(namespace: string, name: string): Promise<Found> | Found;
  secret(namespace: string, name: string): Promise<Found> | Found;
}

export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly secret?: BoundObject | undefined;
  readonly audiences: readonly string[];
  readonly issuedAtMs: number;
  readonly expirationSeconds: number;
}

export interface TokenSigner {
  readonly issuer: string;
  /** The first key signs; tokens of all are accepted. */
  readonly keys: readonly SigningKey[];
  sign(subject: TokenSubject): Promise<string>;
}

export interface TokenSignerOptions {
  readonly issuer: string;
  readonly keys: readonly [SigningKey, ...(readonly SigningKey[])];
  readonly ids: Ids;
}

export function createTokenSigner({ issuer, keys, ids }: TokenSignerOptions): TokenSigner {
  const [{ id, algorithm, privateKey }] = keys;
  return {
    issuer,
    keys,
    sign: (subject) =>
      new SignJWT({ ...claimsOf(subject), iss: issuer, jti: ids.uid() })
        .setProtectedHeader({ alg: algorithm, kid: id })
        .sign(privateKey),
  };
}

export interface ServiceAccountTokens {
  readonly signer: TokenSigner;
  readonly lookup: TokenLookup;
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
}

const { tokenLeewayMs: leewayMs } = limits;

export function serviceAccountTokenAuthenticator(
  options: ServiceAccountTokens,
): TokenAuthenticator {
  const { signer, lookup, apiAudiences, clock } = options;
  const known = verifiedTokens<JsonObject>({ clock });
  return async (token, audiences) => {
    let claims = known.get(token);
    if (claims === undefined) {
      if (unverifiedIssuer(token) !== signer.issuer) return undefined;
      claims = await verifiedClaims(token, signer.keys);
      known.set(token, claims);
    }
    const named = audiencesOf(claims);
    const meant = commonAudiences(named.length === 0 ? apiAudiences : named, audiences);
    if (meant.length === 0) {
      const [has, wants] = [quotedList(named), quotedList(audiences)];
      throw refused(
        "wrong-audience",
        `token audiences ${has} is invalid for the target audiences ${wants}`,
      );
    }
    checkTimes(claims, clock.nowMs());
    await checkBound(claims, lookup, clock.nowMs());
    return { user: userOf(claims), audiences: meant };
  };
}

export function audiencesOf(claims: JsonObject): readonly string[] {
  const single = textAt(claims, "aud");
  return single === "" ? textsAt(claims, "aud") : [single];
}

function claimsOf(subject: TokenSubject): JsonObject {
  const { namespace, serviceAccount, secret, audiences, issuedAtMs, expirationSeconds } = subject;
  const issuedAt = Math.floor(issuedAtMs / 1_000);
  return {
    aud: audiences,
    exp: issuedAt + expirationSeconds,
    iat: issuedAt,
    "kubernetes.io": {
      namespace,
      ...(secret === undefined ? {} : { secret: { name: secret.name, uid: secret.uid } }),
      serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
    },
    nbf: issuedAt,
    sub: serviceAccountUserName(namespace, serviceAccount.name),
  };
}

async function verifiedClaims(token: string, keys: readonly SigningKey[]): Promise<JsonObject> {
  const { keyId, algorithm: named } = unverifiedHeader(token);
  const accepted = new Set<string>(keys.map(({ algorithm }) => algorithm));
  if (!accepted.has(named)) throw badToken(refusedAlgorithm(named, [...accepted]));
  const candidates = keyId === undefined ? keys : keys.filter(({ id }) => id === keyId);
  if (candidates.length === 0) throw refused("unknown-key", "invalid signature, no keys found");
  let failure: unknown;
  for (const { publicKey, algorithm } of candidates) {
    try {
      const { payload } = await compactVerify(token, publicKey, { algorithms: [algorithm] });
      const claims: unknown = parseExact(Buffer.from(payload).toString("utf8"));
      if (isJsonObject(claims)) return claims;
    } catch (error) {
      failure = error;
    }
  }
  throw refused("bad-signature", "go-jose/go-jose: error in cryptographic primitive", failure);
}

function checkTimes(claims: JsonObject, nowMs: number): void {
  const [notBefore, expiry, issuedAt] = ["nbf", "exp", "iat"].map((key) => timeAt(claims, key));
  if (notBefore !== undefined && nowMs + leewayMs < notBefore) {
    throw refused("not-yet-valid", "service account token is not valid yet");
  }
  if (expiry !== undefined && nowMs - leewayMs > expiry) {
    throw refused("expired", "service account token has expired");
  }
  if (issuedAt !== undefined && nowMs + leewayMs < issuedAt) {
    throw refused("not-yet-valid", "service account token is issued in the future");
  }
}

function timeAt(claims: JsonObject, key: string): number | undefined {
  const seconds = claims[key];
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}

async function checkBound(claims: JsonObject, lookup: TokenLookup, nowMs: number): Promise<void> {
  const own = objectAt(claims, "kubernetes.io");
  const namespace = textAt(own, "namespace");
  const account = objectAt(own, "serviceaccount");
  const [name, uid] = [textAt(account, "name"), textAt(account, "uid")];
  const isGone = ({ deletedAtMs }: StoredObject): boolean =>
    deletedAtMs !== undefined && deletedAtMs < nowMs - leewayMs;
  const stored = await lookup.serviceAccount(namespace, name);
  if (stored === undefined) throw revoked(`serviceaccounts ${JSON.stringify(name)} not found`);
  if (stored.uid !== uid) {
    throw revoked(`service account UID (${stored.uid}) does not match claim (${uid})`);
  }
  if (isGone(stored)) throw revoked(`service account ${namespace}/${name} has been deleted`);
  if (!Object.hasOwn(own, "secret")) return;
  const bound = objectAt(own, "secret");
  const secret = await lookup.secret(namespace, textAt(bound, "name"));
  const isInvalid = secret === undefined || isGone(secret);
  if (isInvalid) throw revoked("service account token has been invalidated");
  if (secret.uid === textAt(bound, "uid")) return;
  const [is, claimed] = [secret.uid, textAt(bound, "uid")];
  throw revoked(`secret UID (${is}) does not match service account secret ref claim (${claimed})`);
}

function refused(fault: Fault, reason: string, cause?: unknown): Error {
  return badToken({ fault, reason }, cause);
}

function revoked(reason: string): Error {
  return refused("revoked", reason);
}

function userOf(claims: JsonObject): {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
} {
  const own = objectAt(claims, "kubernetes.io");
  const account = objectAt(own, "serviceaccount");
  const namespace = textAt(own, "namespace");
  const id = textAt(claims, "jti");
  return {
    name: serviceAccountUserName(namespace, textAt(account, "name")),
    uid: textAt(account, "uid"),
    groups: serviceAccountGroups(namespace),
    extra: id === "" ? {} : { [credentialIdKey]: [`JTI=${id}`] },
  };
}
