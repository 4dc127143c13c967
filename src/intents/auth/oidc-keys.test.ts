import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { SignJWT } from "jose";
import { manualClock } from "../../kernel/clock.ts";
import { limits } from "../../kernel/limits.ts";
import { oidcAuthenticator } from "./oidc.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { openidKeys } from "./openid-discovery.ts";
import { refusalOf } from "./refusal.ts";
import { generateSigningKey, readSigningKey } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";

const issuer = "https://login.test";
const audiences = ["api"];
const [first, second] = [generateSigningKey(), generateSigningKey()].map(readSigningKey) as [
  SigningKey,
  SigningKey,
];

interface Rig {
  readonly clock: ReturnType<typeof manualClock>;
  /** What the provider publishes; undefined while it does not answer. */
  published: readonly SigningKey[] | undefined;
  /** How often keys were read. */
  reads: number;
  readonly failures: unknown[];
  /** "" when the token is accepted, or why it is not. */
  readonly faultOf: (token: string) => Promise<string>;
}

function rig(provider: Partial<OidcProvider> = {}): Rig {
  const clock = manualClock();
  const failures: unknown[] = [];
  const made: Rig = { clock, published: [first], reads: 0, failures, faultOf };
  const authenticate = oidcAuthenticator({
    provider: { issuer, audiences, jwksUri: `${issuer}/keys`, ...provider },
    apiAudiences: audiences,
    clock,
    fetch: async () => {
      made.reads += 1;
      if (made.published === undefined) throw new Error("connection refused");
      return Response.json(openidKeys(made.published));
    },
    onFailure: (error) => void failures.push(error),
  });
  async function faultOf(offered: string): Promise<string> {
    try {
      return (await authenticate(offered, audiences)) === undefined ? "not of this issuer" : "";
    } catch (error) {
      return refusalOf(error)?.fault ?? String(error);
    }
  }
  return made;
}

function token(key: SigningKey, header: { readonly kid?: string } = { kid: key.id }) {
  const claims = { iss: issuer, aud: "api", sub: "7", exp: 10_000_000_000 };
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", ...header }).sign(key.privateKey);
}

test("many tokens at once cause one read of the keys", async () => {
  const made = rig();
  const good = await token(first);
  deepEqual(
    new Set(await Promise.all(Array.from({ length: 50 }, () => made.faultOf(good)))),
    new Set([""]),
  );
  equal(made.reads, 1);
});

test("tokens with unknown key ids cause one read per cooldown", async () => {
  const made = rig();
  equal(await made.faultOf(await token(first)), "");
  for (let index = 0; index < 60; index++) {
    made.clock.advanceMs(1_000);
    equal(await made.faultOf(await token(first, { kid: `random-${index}` })), "unknown-key");
  }
  equal(made.reads, 1 + 60_000 / limits.openidRetryMs);
});

test("a token by a new key is accepted when the cooldown is over", async () => {
  const made = rig();
  equal(await made.faultOf(await token(first)), "");
  made.published = [second, first];
  const fresh = await token(second);
  equal(await made.faultOf(fresh), "unknown-key");
  made.clock.advanceMs(limits.openidRetryMs);
  equal(await made.faultOf(fresh), "");
  equal(await made.faultOf(await token(first)), "");
});

test("a removed key is refused after its cache time, also for accepted tokens", async () => {
  const made = rig();
  const old = await token(first);
  equal(await made.faultOf(old), "");
  made.published = [second];
  made.clock.advanceMs(limits.openidKeysMaxAgeMs - 1);
  equal(await made.faultOf(old), "");
  made.clock.advanceMs(1);
  equal(await made.faultOf(old), "unknown-key");
  equal(await made.faultOf(await token(second)), "");
});

test("keys are read again in the background before they are old", async () => {
  const made = rig();
  const old = await token(first);
  equal(await made.faultOf(old), "");
  made.published = [second];
  made.clock.advanceMs(limits.openidKeysRefreshMs);
  equal(await made.faultOf(old), "");
  equal(made.reads, 2);
  equal(await made.faultOf(old), "unknown-key");
});

test("the last keys are used for a limited time while the provider does not answer", async () => {
  const made = rig();
  const good = await token(first);
  equal(await made.faultOf(good), "");
  made.published = undefined;
  made.clock.advanceMs(limits.openidKeysMaxAgeMs);
  equal(await made.faultOf(good), "");
  equal(made.failures.length, 1);
  made.clock.advanceMs(limits.openidKeysStaleMs - limits.openidKeysMaxAgeMs);
  equal(await made.faultOf(good), "keys-unavailable");
  const { reads } = made;
  equal(await made.faultOf(good), "keys-unavailable");
  equal(made.reads, reads);
  made.published = [first];
  made.clock.advanceMs(limits.openidRetryMs);
  equal(await made.faultOf(good), "");
});

test("static keys are accepted whether or not the provider answers", async () => {
  const made = rig({ staticKeys: [second.publicJwk] });
  made.published = undefined;
  equal(await made.faultOf(await token(second)), "");
  equal(await made.faultOf(await token(first)), "unknown-key");
  made.published = [first];
  made.clock.advanceMs(limits.openidRetryMs);
  equal(await made.faultOf(await token(first)), "");
  equal(await made.faultOf(await token(second)), "");
});

test("a token without a key id is verified by every key of its algorithm", async () => {
  const made = rig();
  made.published = [second, first];
  equal(await made.faultOf(await token(first, {})), "");
  const stranger = readSigningKey(generateSigningKey());
  equal(await made.faultOf(await token(stranger, {})), "bad-signature");
});

test("documents that are not key sets, and addresses without TLS, are failures", async () => {
  for (const documents of [
    { "/.well-known/openid-configuration": { issuer: "https://other.test", jwks_uri: issuer } },
    { "/.well-known/openid-configuration": { issuer, jwks_uri: "http://login.test/keys" } },
    { "/.well-known/openid-configuration": [] },
    { "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/keys` }, "/keys": {} },
  ] as const) {
    const failures: string[] = [];
    const authenticate = oidcAuthenticator({
      provider: { issuer, audiences },
      apiAudiences: audiences,
      clock: manualClock(),
      fetch: async (url) => Response.json(Reflect.get(documents, new URL(url).pathname)),
      onFailure: (error) => void failures.push(String(error)),
    });
    const refusal = await authenticate(await token(first), audiences).catch(refusalOf);
    equal(refusal !== undefined && "fault" in refusal ? refusal.fault : "", "keys-unavailable");
    ok(failures.length === 1 && failures[0]?.includes(issuer), failures.join());
  }
});
