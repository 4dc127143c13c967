// The OpenID provider that tests use does what they rely on.
import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";

const robot = { id: "robot", secret: "robot-secret", claims: { org_id: "1", typ: "Bearer" } };

async function verified(provider: OidcPeer, token: string): Promise<Record<string, unknown>> {
  const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
  const { issuer } = provider;
  const { payload } = await jwtVerify(token, keys, { issuer });
  return payload;
}

for (const algorithm of ["RS256", "ES256"] as const) {
  test(`the provider signs tokens with chosen claims by ${algorithm}`, async () => {
    await using provider = await startOidcProvider({ algorithm, clients: [robot] });
    const token = await provider.token("robot");
    equal(decodeProtectedHeader(token).alg, algorithm);
    const claims = await verified(provider, token);
    deepEqual([claims["sub"], claims["aud"], claims["org_id"]], ["robot", "setpoint", "1"]);
    const other = await verified(provider, await provider.token("robot", { resource: "urn:x" }));
    equal(other["aud"], "urn:x");
  });
}

test("a rotated provider signs with a new key and publishes the old one only if kept", async () => {
  await using provider = await startOidcProvider({ clients: [robot] });
  const first = await provider.token("robot");
  await provider.rotateKeys({ keepsOld: true });
  const second = await provider.token("robot");
  notEqual(decodeProtectedHeader(first).kid, decodeProtectedHeader(second).kid);
  equal((await verified(provider, first))["sub"], "robot");
  await provider.rotateKeys();
  await rejects(verified(provider, second), /no applicable key found/);
  equal((await verified(provider, await provider.token("robot")))["sub"], "robot");
});

async function json(url: string, init: RequestInit): Promise<Record<string, string>> {
  const response = await fetch(url, init);
  equal(response.ok, true, `${url}: ${response.status}`);
  return response.status === 204 ? {} : ((await response.json()) as Record<string, string>);
}

test("a client registers itself, is read, changed and deleted", async () => {
  await using provider = await startOidcProvider({ rotatesRegistrationTokens: false });
  const metadata = { grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
  const send = (token: string, method: string, body: object) => ({
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(body) }),
  });
  const refused = await fetch(provider.registrationUrl, send("wrong", "POST", metadata));
  equal(refused.status, 401);
  const made = await json(
    provider.registrationUrl,
    send(provider.initialAccessToken, "POST", { ...metadata, client_name: "one" }),
  );
  const { client_id: clientId = "", client_secret: secret = "" } = made;
  const { registration_client_uri: url = "", registration_access_token: own = "" } = made;
  deepEqual(provider.registeredClients(), [clientId]);
  provider.setClaims(clientId, { org_id: "7" });
  const token = await provider.tokenWith({ clientId, secret });
  equal((await verified(provider, token))["org_id"], "7");
  const changed = { ...metadata, client_id: clientId, client_secret: secret, client_name: "two" };
  equal((await json(url, send(own, "PUT", changed)))["client_name"], "two");
  equal((await json(url, send(own, "GET", {})))["client_name"], "two");
  await json(url, send(own, "DELETE", {}));
  deepEqual(provider.registeredClients(), []);
});

test("a person approves a device, whose refresh token gives another token", async () => {
  await using provider = await startOidcProvider({
    clients: [{ id: "cli" }],
    people: { ann: { username: "ann" } },
  });
  const form = (fields: Record<string, string>) => ({
    method: "POST",
    body: new URLSearchParams({ client_id: "cli", ...fields }),
  });
  const scope = "openid offline_access api";
  const started = await json(`${provider.issuer}/device/auth`, form({ scope }));
  match(started["verification_uri"] ?? "", /\/device$/);
  const grant = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: started["device_code"] ?? "",
  };
  const pending = await fetch(`${provider.issuer}/token`, form(grant));
  deepEqual(((await pending.json()) as { error: string }).error, "authorization_pending");
  await provider.approve(started["user_code"] ?? "", "ann");
  const got = await json(`${provider.issuer}/token`, form(grant));
  const { access_token: token = "", refresh_token: refresh = "" } = got;
  equal((await verified(provider, token))["username"], "ann");
  const again = await json(
    `${provider.issuer}/token`,
    form({ grant_type: "refresh_token", refresh_token: refresh }),
  );
  equal((await verified(provider, again["access_token"] ?? ""))["sub"], "ann");
});
