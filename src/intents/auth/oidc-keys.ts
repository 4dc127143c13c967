// The public keys of an OpenID provider. They are read when they are first needed, again in the
// background before they are old, and again when a token names an unknown key. At most one read is
// in progress, and two reads are at least `openidRetryMs` apart, however many tokens name unknown
// keys. A key that the provider has removed is refused after at most `openidKeysMaxAgeMs`. While
// the provider cannot be reached, the last keys are used for up to `openidKeysStaleMs`.

import { createLocalJWKSet } from "jose";
import type { FetchImplementation, JSONWebKeySet } from "jose";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { isTrustedAddress } from "./oidc-provider.ts";
import type { OidcProvider } from "./oidc-provider.ts";

export type KeySet = ReturnType<typeof createLocalJWKSet>;

export interface OidcKeysOptions {
  readonly provider: OidcProvider;
  readonly clock: Clock;
  /** With the certificate authority of the provider, if that is not a public one. */
  readonly fetch: FetchImplementation;
  /** Keys were added or removed: what was verified with the earlier ones may be wrong. */
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

export interface OidcKeys {
  /** Resolves when the keys are as fresh as they can be; undefined when they already are. */
  freshen(): Promise<void> | undefined;
  /** Reads the keys again, because a token names a key that none of the sets has. */
  readAgain(): Promise<void> | undefined;
  /** Those of the provider and the static ones; empty while there are none. */
  sets(): readonly KeySet[];
}

interface Published {
  readonly set: KeySet;
  readonly text: string;
  readonly readAtMs: number;
}

export function oidcKeys(options: OidcKeysOptions): OidcKeys {
  const { provider, clock, onChange, onFailure } = options;
  const { staticKeys = [] } = provider;
  const fixed = staticKeys.length === 0 ? [] : [createLocalJWKSet(keySetOf(staticKeys))];
  let published: Published | undefined;
  let reading: Promise<void> | undefined;
  let attemptedAtMs = Number.NEGATIVE_INFINITY;
  let hasFailed = false;

  const read = async (): Promise<void> => {
    attemptedAtMs = clock.nowMs();
    try {
      const keys = await publishedKeys(options);
      const text = JSON.stringify(keys);
      const isChanged = published?.text !== text;
      const set = createLocalJWKSet(keySetOf(keys));
      published = { set, text, readAtMs: attemptedAtMs };
      hasFailed = false;
      if (isChanged) onChange();
    } catch (error) {
      hasFailed = true;
      onFailure(error);
    } finally {
      reading = undefined;
    }
  };
  const readAgain = (): Promise<void> | undefined => {
    const sinceMs = clock.nowMs() - attemptedAtMs;
    const isTooSoon = sinceMs >= 0 && sinceMs < limits.openidRetryMs;
    if (reading === undefined && !isTooSoon) reading = read();
    return reading;
  };
  return {
    readAgain,
    sets: () => [...(published === undefined ? [] : [published.set]), ...fixed],
    freshen: () => {
      const ageMs = clock.nowMs() - (published?.readAtMs ?? Number.NEGATIVE_INFINITY);
      if (ageMs < limits.openidKeysRefreshMs) return undefined;
      if (published !== undefined && ageMs >= limits.openidKeysStaleMs) {
        published = undefined;
        onChange();
      }
      const attempt = readAgain();
      if (published === undefined) return fixed.length > 0 ? undefined : attempt;
      return ageMs < limits.openidKeysMaxAgeMs || hasFailed ? undefined : attempt;
    },
  };
}

async function publishedKeys(options: OidcKeysOptions): Promise<readonly JsonObject[]> {
  const { provider } = options;
  const url = provider.jwksUri ?? (await discoverKeysUrl(options));
  const keys = (await readDocument(url, options))["keys"];
  if (!isJsonArray(keys)) throw unusable(`${url} has no list of keys`);
  if (keys.length > limits.maxOpenidKeys) {
    throw unusable(`${url} has more than ${limits.maxOpenidKeys} keys`);
  }
  return keys.filter(isSigningKey);
}

async function discoverKeysUrl(options: OidcKeysOptions): Promise<string> {
  const { provider } = options;
  const { issuer } = provider;
  const url = `${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
  const document = await readDocument(url, options);
  if (textAt(document, "issuer") !== issuer) {
    throw unusable(`${url} does not describe the issuer ${issuer}`);
  }
  const keysUrl = textAt(document, "jwks_uri");
  if (isTrustedAddress(keysUrl, provider)) return keysUrl;
  throw unusable(`${url} names keys that are not served by https`);
}

async function readDocument(url: string, { fetch }: OidcKeysOptions): Promise<JsonObject> {
  const answer = await fetch(url, {
    method: "GET",
    headers: new Headers({ accept: "application/json" }),
    redirect: "manual",
    signal: AbortSignal.timeout(limits.openidTimeoutMs),
  });
  if (!answer.ok) throw unusable(`${url} answered ${answer.status}`);
  const document: unknown = await answer.json();
  if (isJsonObject(document)) return document;
  throw unusable(`${url} is not a JSON object`);
}

/** Of a kind that can verify; symmetric keys and keys for encryption are left out. */
export function isSigningKey(key: Json): key is JsonObject {
  if (!isJsonObject(key)) return false;
  const isAsymmetric = ["RSA", "EC", "OKP"].includes(textAt(key, "kty"));
  return isAsymmetric && ["", "sig"].includes(textAt(key, "use"));
}

function keySetOf(keys: readonly JsonObject[]): JSONWebKeySet {
  return { keys: keys.map((key) => ({ ...key, kty: textAt(key, "kty") })) };
}

function unusable(message: string): SetpointError {
  return new SetpointError("config.invalid", message, {
    suggestion: "correct issuer, jwksUri or caFile of the provider in the configuration file",
  });
}
