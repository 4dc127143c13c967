// Every fault of a token has its own reason: in WWW-Authenticate, in the problem document of the
// REST surface, in the log. Tokens are made by a real provider, or forged with its keys.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, test } from "node:test";
import { SignJWT, UnsecuredJWT, decodeJwt, exportSPKI } from "jose";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";

let [provider, stranger]: OidcPeer[] = [];
let server: KubeServer;
let good: Record<string, unknown>;

before(async () => {
  const clients = [{ id: "ann", secret: "only-for-tests", claims: { typ: "Bearer" } }];
  provider = await startOidcProvider({ clients });
  stranger = await startOidcProvider({ clients });
  const { issuer } = provider;
  const rules = { requiredClaims: { typ: "Bearer" }, requireIssuedAt: true };
  server = await startKubeServer({
    oidc: [{ issuer, http: true, audiences: ["setpoint"], ...rules }],
  });
  good = decodeJwt(await provider.token("ann"));
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  await stranger?.[Symbol.asyncDispose]();
});

/** Signed by the provider, with other claims than it gives. */
async function signed(change: Record<string, unknown>, header = {}): Promise<string> {
  const claims = Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined);
  return (await provider?.sign(Object.fromEntries(claims), header)) ?? "";
}

const now = (): number => Math.floor(Date.now() / 1_000);
const accepted = "RS256, RS384, RS512, ES256, ES384, ES512, PS256, EdDSA";

const faults: readonly {
  readonly name: string;
  readonly token: () => Promise<string>;
  readonly reason: () => string;
}[] = [
  {
    name: "text that is not a JWT",
    token: async () => "not-a-token",
    reason: () => "malformed token: it is neither a JWT nor a known token",
  },
  {
    name: "a JWT whose claims are cut off",
    token: async () => (await signed({})).slice(0, 200),
    reason: () => "malformed token: it is neither a JWT nor a known token",
  },
  {
    name: "a very long token",
    token: async () => "x".repeat(16_385),
    reason: () => "malformed token: it is longer than 16384 characters",
  },
  {
    name: "the algorithm none",
    token: async () => new UnsecuredJWT(good).encode(),
    reason: () => `algorithm 'none' is not accepted: use ${accepted}`,
  },
  {
    name: "HS256 with the public key as the secret",
    token: async () => {
      const pem = await exportSPKI((provider as OidcPeer).key.publicKey);
      const { kid } = (provider as OidcPeer).key.jwk;
      return await new SignJWT(good)
        .setProtectedHeader({ alg: "HS256", kid })
        .sign(new TextEncoder().encode(pem));
    },
    reason: () => `algorithm 'HS256' is not accepted: use ${accepted}`,
  },
  {
    name: "a key id that the issuer does not have",
    token: () => signed({}, { kid: "unknown" }),
    reason: () => "unverifiable token: its issuer has no key with this id",
  },
  {
    name: "the key of another issuer under the key id of this one",
    token: async () => {
      const { kid } = (provider as OidcPeer).key.jwk;
      return (await stranger?.sign(good, { kid })) ?? "";
    },
    reason: () => "bad signature",
  },
  {
    name: "claims that were changed after signing",
    token: async () => {
      const [header, , signature] = (await signed({})).split(".");
      const claims = Buffer.from(JSON.stringify({ ...good, sub: "root" })).toString("base64url");
      return `${header}.${claims}.${signature}`;
    },
    reason: () => "bad signature",
  },
  {
    name: "an issuer that is not configured",
    token: async () => (await stranger?.token("ann")) ?? "",
    reason: () => `unknown issuer '${stranger?.issuer}'`,
  },
  {
    name: "the provider's key under another issuer",
    token: () => signed({ iss: "https://elsewhere.test" }),
    reason: () => "unknown issuer 'https://elsewhere.test'",
  },
  { name: "no issuer", token: () => signed({ iss: undefined }), reason: () => "missing claim iss" },
  {
    name: "an expired token",
    token: () => signed({ exp: now() - 1 }),
    reason: () => "token has expired",
  },
  {
    name: "a token of the future",
    token: () => signed({ nbf: now() + 3_600 }),
    reason: () => "token is not valid yet",
  },
  { name: "no end", token: () => signed({ exp: undefined }), reason: () => "missing claim exp" },
  { name: "no start", token: () => signed({ iat: undefined }), reason: () => "missing claim iat" },
  { name: "no type", token: () => signed({ typ: undefined }), reason: () => "missing claim typ" },
  {
    name: "another type",
    token: () => signed({ typ: "Refresh" }),
    reason: () => "claim typ must be 'Bearer'",
  },
  {
    name: "another audience",
    token: () => signed({ aud: "other" }),
    reason: () => "wrong audience: expected one of ['setpoint']",
  },
];

for (const { name, token, reason } of faults) {
  test(`${name}: the reason is shown, and the token is not`, async () => {
    const made = await token();
    const linesBefore = server.lines.length;
    const headers = { authorization: `Bearer ${made}` };
    const kube = await server.request("GET", "/api", undefined, headers);
    equal(kube.status, 401);
    const described = /error_description="([^"]*)"/.exec(kube.headers["www-authenticate"] ?? "");
    equal(described?.[1], reason().slice(0, 200));
    equal(pick(kube.json, "message"), "Unauthorized");
    const rest = await server.request("GET", "/api/v1/problems", undefined, headers);
    equal(rest.status, 401);
    equal(String(pick(rest.json, "detail")).replaceAll('"', "'"), `Unauthorized: ${reason()}`);
    const logged = server.lines.slice(linesBefore).join("\n");
    const shown = `${logged}${kube.text}${rest.text}${JSON.stringify(kube.headers)}`;
    for (const part of made.split(".").filter((each) => each.length > 8)) {
      equal(shown.includes(part), false, "a part of the token is shown");
    }
  });
}

test("a good token of the provider is accepted; no credentials have no error code", async () => {
  const authorization = `Bearer ${await signed({})}`;
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  equal((await server.request("POST", path, review, { authorization })).status, 201);
  const none = await server.request("GET", "/api/v1/problems", undefined, {
    authorization: "",
  });
  deepEqual([none.status, none.headers["www-authenticate"]], [401, 'Bearer realm="setpoint"']);
  equal(pick(none.json, "detail"), "Unauthorized: no credentials");
  // The log limits how many of these lines it writes in a second.
  ok(server.lines.some((line) => line.includes("request not authenticated")));
});
