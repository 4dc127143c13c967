// What a provider that fails, refuses or answers nonsense does to OidcClients: failures are
// retried, refusals are reported at once, tokens are sent to the issuer only, and no text contains
// one.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Fault } from "../peers/fault-proxy.ts";
import { condition } from "../peers/resources.ts";
import { clientSpec, issuerSpec, startOidcRig } from "./rig.ts";
import type { OidcRig } from "./rig.ts";

let rig: OidcRig;
before(async () => {
  rig = await startOidcRig();
});
afterEach(() => rig.proxy.clear());
after(async () => await rig?.[Symbol.asyncDispose]());

const answer = (status: number, body: JsonObject | string): Fault => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", answer: { status, body: text } };
};
const posts = { method: "POST", path: "/reg" };

async function saysFailed(name: string, reason: string): Promise<string> {
  const one = await rig.clients.says(name, "Synced", reason);
  assert.equal(condition(one, "Synced")?.status, "False");
  return condition(one, "Synced")?.message ?? "";
}

describe("a provider that fails", () => {
  const faults: Readonly<Record<string, readonly [Fault, string]>> = {
    "answers 500": [answer(500, { error: "server_error" }), "ServerError"],
    "answers 503": [answer(503, "<h1>later</h1>"), "Unavailable"],
    "cuts the connection": [{ kind: "cut" }, "ConnectionFailed"],
    "loses every answer": [{ kind: "lose" }, "ConnectionFailed"],
  };
  for (const [what, [fault, reason]] of Object.entries(faults)) {
    it(`and ${what} is called again, and has one client in the end`, async () => {
      const name = what.replaceAll(" ", "-");
      const count = rig.provider.registeredClients().length;
      const rule = rig.proxy.on(posts, fault);
      await rig.clients.create(name, clientSpec(`${name}-oidc`));
      await rule.hit(2);
      await saysFailed(name, reason);
      rule.release();
      await rig.clients.ready(name);
      await rig.working(`${name}-oidc`);
      assert.equal(rig.provider.registeredClients().length, count + 1);
    });
  }

  it("while a client is deleted keeps the OidcClient until the client is deleted", async () => {
    await rig.clients.create("leaving", clientSpec("leaving-oidc"));
    await rig.clients.ready("leaving");
    const { clientId } = await rig.working("leaving-oidc");
    const rule = rig.proxy.on({ method: "DELETE" }, answer(500, ""), 2);
    await rig.clients.delete("leaving");
    await rule.hit();
    assert.notEqual(await rig.clients.get("leaving"), undefined);
    await rig.clients.gone("leaving");
    assert.equal(rig.provider.registeredClients().includes(clientId), false);
  });
});

describe("a provider that refuses", () => {
  it("metadata makes the client fail at once, with the reason of the provider", async () => {
    const sent = rig.proxy.writes(posts).length;
    const more = { grantTypes: ["authorization_code"], redirectUris: ["javascript:alert(1)"] };
    await rig.clients.create("refused", clientSpec("refused-oidc", more));
    const message = await saysFailed("refused", "RequestRefused");
    assert.match(message, /refused the request with status 400: invalid_redirect_uri: /);
    assert.equal(rig.proxy.writes(posts).length, sent + 1);
    const { status } = await rig.clients.present("refused");
    assert.deepEqual([status?.pending, status?.unconfirmed], [undefined, undefined]);
    await rig.clients.delete("refused");
    await rig.clients.gone("refused");
  });

  it("an initial access token is called again when the Secret has another one", async () => {
    await rig.setToken("a-token-that-is-wrong");
    await rig.clients.create("rotated", clientSpec("rotated-oidc"));
    const message = await saysFailed("rotated", "CredentialsRefused");
    assert.match(message, /refused the credentials with status 401/);
    await rig.setToken(rig.provider.initialAccessToken);
    await rig.clients.ready("rotated");
    const { body } = await rig.server.ask(rig.clients.path());
    const texts = [body.toString(), rig.server.log()];
    assert.equal(
      texts.some((text) => text.includes("a-token-that-is-wrong")),
      false,
    );
  });

  it("and repeats a token in its error does not show it", async () => {
    const token = rig.provider.initialAccessToken;
    const said = { error: "access_denied", error_description: `token ${token}\nis bad` };
    rig.proxy.on(posts, answer(400, said), 1);
    await rig.clients.create("echo", clientSpec("echo-oidc"));
    const message = await saysFailed("echo", "RequestRefused");
    assert.match(message, /access_denied: token \[hidden\] is bad$/);
    await rig.clients.reconcile("echo");
    await rig.clients.ready("echo");
  });
});

describe("a provider with nonsense", () => {
  const client = (more: JsonObject): JsonObject => ({
    client_id: "an-id",
    client_secret: "a-secret",
    registration_access_token: "a-token",
    registration_client_uri: `${rig.proxy.url}/reg/an-id`,
    ...more,
  });
  const unmanageable: Readonly<Record<string, () => JsonObject>> = {
    "without-a-token": () => client({ registration_access_token: null }),
    "without-a-secret": () => client({ client_secret: "" }),
    "with-a-uri-elsewhere": () => client({ registration_client_uri: "https://evil.example/reg" }),
    "with-a-password": () => {
      return client({ registration_client_uri: rig.proxy.url.replace("//", "//a:b@") });
    },
    "with-a-line-in-its-token": () => client({ registration_access_token: "a\r\nb: c" }),
    "with-an-evil-id": () => client({ client_id: "__proto__" }),
    "with-a-huge-id": () => client({ client_id: "x".repeat(5_000) }),
  };
  for (const [what, body] of Object.entries(unmanageable)) {
    it(`(a client ${what}) is not used, and nothing more is registered`, async () => {
      const rule = rig.proxy.on(posts, answer(201, body()));
      await rig.clients.create(what, clientSpec(`${what}-oidc`));
      const message = await saysFailed(what, "ManagementUnsupported");
      assert.match(message, /must support RFC 7592; delete the client at the provider$/);
      assert.doesNotMatch(message, /a-secret|a-token/);
      assert.equal(await rig.credentials(`${what}-oidc`), undefined);
      assert.equal(rule.hits, 1);
      rule.release();
      // A run that a user requests registers it again.
      await rig.clients.reconcile(what);
      await rig.clients.ready(what);
    });
  }

  const invalid: Readonly<Record<string, readonly [string, string]>> = {
    page: ["<html>Welcome</html>", "InvalidAnswer"],
    list: ["[]", "InvalidAnswer"],
    huge: [`"${"x".repeat(300_000)}"`, "AnswerTooLarge"],
  };
  for (const [what, [body, reason]] of Object.entries(invalid)) {
    it(`(${what}) is called again, and has one client in the end`, async () => {
      const count = rig.provider.registeredClients().length;
      const rule = rig.proxy.on(posts, { kind: "replace", answer: { status: 201, body } });
      await rig.clients.create(what, clientSpec(`${what}-oidc`));
      await saysFailed(what, reason);
      rule.release();
      await rig.clients.reconcile(what);
      await rig.clients.ready(what);
      await rig.working(`${what}-oidc`);
      assert.equal(rig.provider.registeredClients().length, count + 1);
    });
  }

  it("(another client) does not replace the known credentials", async () => {
    await rig.clients.create("known", clientSpec("known-oidc"));
    await rig.clients.ready("known");
    const known = await rig.working("known-oidc");
    const path = `/reg/${known.clientId}`;
    const another = answer(200, client({ client_id: "another" }));
    const rule = rig.proxy.on({ method: "GET", path }, another);
    await rig.clients.reconcile("known");
    await saysFailed("known", "InvalidAnswer");
    rule.release();
    await rig.clients.reconcile("known");
    await rig.clients.ready("known");
    assert.deepEqual(await rig.working("known-oidc"), known);
  });

  it("(other values than requested) is reported", async () => {
    const stored = { client_id: "x", redirect_uris: ["https://other.example"] };
    await rig.clients.create("odd", clientSpec("odd-oidc"));
    await rig.clients.ready("odd");
    const { clientId } = await rig.working("odd-oidc");
    const body = JSON.stringify({ ...stored, client_id: clientId });
    const path = `/reg/${clientId}`;
    rig.proxy.on(
      { path, method: ["GET", "PUT"] },
      { kind: "answer", answer: { status: 200, body } },
    );
    await rig.clients.reconcile("odd");
    const message = await saysFailed("odd", "MetadataNotAccepted");
    assert.match(message, /has other values than requested for redirect_uris$/);
    rig.proxy.clear();
    await rig.clients.reconcile("odd");
    await rig.clients.ready("odd");
    await rig.working("odd-oidc");
  });
});

describe("discovery", () => {
  const documents: Readonly<Record<string, readonly [JsonObject, RegExp]>> = {
    "without registration": [{}, /has no registration_endpoint/],
    "with an endpoint elsewhere": [
      { registration_endpoint: "https://evil.example/reg" },
      /has a registration_endpoint with another origin/,
    ],
  };
  for (const [what, [more, message]] of Object.entries(documents)) {
    it(`${what} makes the issuer fail, and its clients wait`, async () => {
      const issuer = rig.proxy.url;
      const document = { issuer, ...more };
      const path = "/.well-known/openid-configuration";
      const rule = rig.proxy.on({ path }, answer(200, document));
      const name = what.replaceAll(" ", "-");
      await rig.issuers.create(name, issuerSpec(issuer, true));
      const one = await rig.issuers.says(name, "Ready", "DiscoveryInvalid");
      assert.match(condition(one, "Ready")?.message ?? "", message);
      await rig.clients.create(name, { ...clientSpec(`${name}-oidc`), issuer: name });
      await rig.clients.until(name, "waiting", (each) => {
        return /has not found its registration endpoint/.test(
          condition(each, "Ready")?.message ?? "",
        );
      });
      rule.release();
      await rig.issuers.reconcile(name);
      await rig.clients.ready(name);
    });
  }
});
