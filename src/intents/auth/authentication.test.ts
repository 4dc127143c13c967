import { test } from "node:test";
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { SignJWT } from "jose";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { systemIds } from "../../kernel/ids.ts";
import { createAuthentication } from "./authentication.ts";
import type { Authentication } from "./authentication.ts";
import { oidcAuthenticator } from "./oidc.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { openidConfiguration, openidKeys } from "./openid-discovery.ts";
import { createTokenSigner, serviceAccountTokenAuthenticator } from "./service-account-token.ts";
import type { StoredObject, TokenSubject } from "./service-account-token.ts";
import { generateSigningKey, readSigningKey } from "./signing-key.ts";
import {
  adminTokenAuthenticator,
  parseTokenFile,
  tokenFileAuthenticator,
} from "./static-tokens.ts";
import type { UserInfo } from "./user.ts";
import { verifiedTokens } from "./verified-tokens.ts";

const apiAudiences = ["https://setpoint.test"];
const key = readSigningKey(generateSigningKey());

interface World {
  readonly clock: ReturnType<typeof manualClock>;
  readonly accounts: Map<string, StoredObject>;
  readonly secrets: Map<string, StoredObject>;
  readonly authentication: Authentication;
  readonly token: (subject?: Partial<TokenSubject>) => Promise<string>;
  readonly errorOf: (token: string) => Promise<string>;
}

function world(isAnonymousAllowed = false): World {
  const clock = manualClock();
  const accounts = new Map([["default/ci", { uid: "u1" }]]);
  const secrets = new Map<string, StoredObject>();
  const signer = createTokenSigner({
    issuer: "https://setpoint.test",
    keys: [key],
    ids: systemIds,
  });
  const lookup = {
    serviceAccount: (namespace: string, name: string) => accounts.get(`${namespace}/${name}`),
    secret: async (namespace: string, name: string) => secrets.get(`${namespace}/${name}`),
  };
  const authentication = createAuthentication({
    tokens: [
      adminTokenAuthenticator({ token: "root", apiAudiences }),
      tokenFileAuthenticator({
        users: parseTokenFile('t1,ann,1,"dev,ops"\n\n"t,2",bob,2\n'),
        apiAudiences,
      }),
      serviceAccountTokenAuthenticator({ signer, lookup, apiAudiences, clock }),
    ],
    apiAudiences,
    isAnonymousAllowed,
  });
  const serviceAccount = { name: "ci", uid: "u1" };
  return {
    clock,
    accounts,
    secrets,
    authentication,
    token: (subject) =>
      signer.sign({
        namespace: "default",
        serviceAccount,
        audiences: apiAudiences,
        issuedAtMs: clock.nowMs(),
        expirationSeconds: 3_600,
        ...subject,
      }),
    errorOf: async (token) => {
      const outcome = await authentication.authenticateToken(token, apiAudiences);
      return outcome.kind === "unknown" ? outcome.error : "";
    },
  };
}

function withToken(authentication: Authentication, token: string): Promise<UserInfo> {
  return authentication.authenticate({ headers: { authorization: `Bearer ${token}` } });
}

const isUnauthorized = (error: unknown): boolean =>
  isSetpointError(error, "request.unauthenticated") && error.message === "Unauthorized";

test("known tokens are their users, and everybody known is authenticated", async () => {
  const { authentication } = world();
  const admin = await withToken(authentication, "root");
  deepEqual(admin.groups, ["system:masters", "system:authenticated"]);
  const ann = await withToken(authentication, "t1");
  deepEqual(ann, {
    name: "ann",
    uid: "1",
    groups: ["dev", "ops", "system:authenticated"],
    extra: {},
  });
  equal((await withToken(authentication, "t,2")).name, "bob");
});

test("without credentials a request is anonymous only where that is allowed", async () => {
  await rejects(world().authentication.authenticate({ headers: {} }), isUnauthorized);
  const { authentication } = world(true);
  deepEqual(await authentication.authenticate({ headers: {} }), {
    name: "system:anonymous",
    groups: ["system:unauthenticated"],
    extra: {},
  });
  await rejects(withToken(authentication, "wrong"), isUnauthorized);
});

test("a verified certificate names its user and groups", async () => {
  const peerCertificate = { commonName: "eve", organizations: ["team"], sha256: "ab" };
  const user = await world().authentication.authenticate({ headers: {}, peerCertificate });
  deepEqual(user.groups, ["team", "system:authenticated"]);
  deepEqual(user.extra, { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab"] });
});

test("a service account's token is its user, in the groups of its namespace", async () => {
  const { authentication, token } = world();
  const user = await withToken(authentication, await token());
  equal(user.name, "system:serviceaccount:default:ci");
  equal(user.uid, "u1");
  deepEqual(user.groups, [
    "system:serviceaccounts",
    "system:serviceaccounts:default",
    "system:authenticated",
  ]);
  ok(user.extra["authentication.kubernetes.io/credential-id"]?.[0]?.startsWith("JTI="));
});

test("a remembered token ends with its time, its account and its secret", async () => {
  const { clock, accounts, secrets, token, errorOf } = world();
  const plain = await token();
  equal(await errorOf(plain), "");
  clock.advanceMs(3_600_000 + 61_000);
  equal(await errorOf(plain), "[invalid bearer token, service account token has expired]");
  const bound = await token({ secret: { name: "s", uid: "s1" } });
  equal(await errorOf(bound), "[invalid bearer token, service account token has been invalidated]");
  secrets.set("default/s", { uid: "s1" });
  equal(await errorOf(bound), "");
  secrets.set("default/s", { uid: "s2" });
  equal(
    await errorOf(bound),
    "[invalid bearer token, secret UID (s2) does not match service account secret ref claim (s1)]",
  );
  accounts.set("default/ci", { uid: "u2" });
  const mismatch = "service account UID (u2) does not match claim (u1)";
  equal(await errorOf(bound), `[invalid bearer token, ${mismatch}]`);
  accounts.set("default/ci", { uid: "u1", deletedAtMs: clock.nowMs() - 61_000 });
  const deleted = "service account default/ci has been deleted";
  equal(await errorOf(bound), `[invalid bearer token, ${deleted}]`);
  accounts.delete("default/ci");
  equal(await errorOf(bound), '[invalid bearer token, serviceaccounts "ci" not found]');
});

test("tokens of other issuers, keys, audiences and algorithms are refused", async () => {
  const { token, errorOf, clock } = world();
  equal(await errorOf("garbage"), "invalid bearer token");
  equal(
    await errorOf(await token({ audiences: ["vault"] })),
    '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ' +
      '["https://setpoint.test"]]',
  );
  const stranger = createTokenSigner({
    issuer: "https://setpoint.test",
    keys: [readSigningKey(generateSigningKey("RS256"))],
    ids: systemIds,
  });
  const subject = {
    namespace: "default",
    serviceAccount: { name: "ci", uid: "u1" },
    audiences: apiAudiences,
    issuedAtMs: clock.nowMs(),
    expirationSeconds: 3_600,
  };
  equal(
    await errorOf(await stranger.sign(subject)),
    '[invalid bearer token, algorithm "RS256" is not accepted: use ES256]',
  );
  const other = createTokenSigner({
    issuer: "https://setpoint.test",
    keys: [readSigningKey(generateSigningKey())],
    ids: systemIds,
  });
  equal(
    await errorOf(await other.sign(subject)),
    "[invalid bearer token, invalid signature, no keys found]",
  );
  const [header = "", payload = "", signature = ""] = (await token()).split(".");
  const broken = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]";
  const letter = signature.startsWith("A") ? "B" : "A";
  equal(await errorOf(`${header}.${payload}.${letter}${signature.slice(1)}`), broken);
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const refused = (algorithm: string): string =>
    `[invalid bearer token, algorithm "${algorithm}" is not accepted: use ES256]`;
  equal(await errorOf(`${none}.${payload}.`), refused("none"));
  const confused = new SignJWT({ iss: "https://setpoint.test" }).setProtectedHeader({
    alg: "HS256",
  });
  const secret = new TextEncoder().encode(key.id.repeat(2));
  equal(await errorOf(await confused.sign(secret)), refused("HS256"));
});

test("a rotated key signs no more but its tokens stay good", async () => {
  const clock = manualClock();
  const next = readSigningKey(generateSigningKey());
  const issuer = "https://setpoint.test";
  const before = createTokenSigner({ issuer, keys: [key], ids: systemIds });
  const after = createTokenSigner({ issuer, keys: [next, key], ids: systemIds });
  const authenticate = serviceAccountTokenAuthenticator({
    signer: after,
    lookup: { serviceAccount: () => ({ uid: "u1" }), secret: () => undefined },
    apiAudiences,
    clock,
  });
  const subject = {
    namespace: "default",
    serviceAccount: { name: "ci", uid: "u1" },
    audiences: apiAudiences,
    issuedAtMs: clock.nowMs(),
    expirationSeconds: 3_600,
  };
  for (const signer of [before, after]) {
    ok((await authenticate(await signer.sign(subject), apiAudiences)) !== undefined);
  }
  const published = openidKeys(after.keys);
  deepEqual(published, { keys: [next.publicJwk, key.publicJwk] });
  ok(!JSON.stringify(published).includes('"d"'));
  deepEqual(openidConfiguration({ issuer, keysUrl: `${issuer}/openid/v1/jwks`, keys: [key] }), {
    issuer,
    jwks_uri: "https://setpoint.test/openid/v1/jwks",
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
});

test("verified tokens are forgotten after a time, and the oldest when there are many", () => {
  const clock = manualClock();
  const tokens = verifiedTokens<number>({ clock, maxItems: 2, ttlMs: 10 });
  tokens.set("a", 1);
  tokens.set("b", 2);
  tokens.set("c", 3);
  deepEqual(
    ["a", "b", "c"].map((token) => tokens.get(token)),
    [undefined, 2, 3],
  );
  clock.advanceMs(10);
  equal(tokens.get("c"), undefined);
});

const issuer = "https://login.test";

interface Login {
  readonly asked: string[];
  readonly user: (
    claims: Record<string, unknown>,
    provider?: Partial<OidcProvider>,
  ) => Promise<UserInfo>;
}

function login(): Login {
  const clock = manualClock();
  const asked: string[] = [];
  const jwks = `${issuer}/keys`;
  const documents = new Map<string, unknown>([
    [`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: jwks }],
    [jwks, openidKeys([key])],
  ]);
  const user: Login["user"] = async (claims, provider) => {
    const authenticate = oidcAuthenticator({
      provider: { issuer, audiences: ["setpoint"], ...provider },
      apiAudiences,
      clock,
      fetch: async (url) => {
        asked.push(url);
        return Response.json(documents.get(url));
      },
    });
    const now = clock.nowMs() / 1_000;
    const token = await new SignJWT({
      iss: issuer,
      aud: "setpoint",
      sub: "7",
      exp: now + 60,
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256", kid: key.id })
      .sign(key.privateKey);
    await authenticate(token, apiAudiences);
    const found = await authenticate(token, apiAudiences);
    if (found === undefined) throw new Error("not of this issuer");
    return found.user;
  };
  return { asked, user };
}

test("an OpenID token becomes a user with prefixes, and keys are asked for once", async () => {
  const { asked, user } = login();
  equal((await user({})).name, "https://login.test#7");
  deepEqual(asked, [`${issuer}/.well-known/openid-configuration`, `${issuer}/keys`]);
  const provider = { usernameClaims: ["email"], groupsClaim: "roles", groupsPrefix: "oidc:" };
  deepEqual(await user({ email: "a@b", roles: ["x"] }, provider), {
    name: "a@b",
    groups: ["oidc:x"],
    extra: { "authentication.setpoint.dev/issuer": [issuer] },
  });
  deepEqual((await user({ email: "a@b", roles: "one" }, provider)).groups, ["oidc:one"]);
});

test("an OpenID token for others, expired or naming the system is refused", async () => {
  const { user } = login();
  const refused = (claims: Record<string, unknown>, provider?: Partial<OidcProvider>) =>
    rejects(user(claims, provider), (error) => isSetpointError(error, "request.unauthenticated"));
  await refused({ aud: "other" });
  await refused({ exp: 1 });
  await refused({ email: "a@b", email_verified: false }, { usernameClaims: ["email"] });
  await refused({ groups: ["system:masters"] }, { groupsClaim: "groups" });
  await refused({ sub: "system:admin" }, { usernamePrefix: "" });
  await refused({}, { requiredClaims: { hd: "corp" } });
  equal((await user({ hd: "corp" }, { requiredClaims: { hd: "corp" } })).name, `${issuer}#7`);
  throws(() =>
    oidcAuthenticator({
      provider: { issuer: "http://login.test", audiences: ["a"] },
      apiAudiences,
      clock: manualClock(),
      fetch: () => Promise.reject(new Error("unused")),
    }),
  );
});
