// OidcClients at a real OpenID provider: their life, their credentials, rotation, drift and who may
// register them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { condition } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { clientSpec, issuerSpec, startOidcRig } from "./rig.ts";
import type { OidcRig } from "./rig.ts";

let rig: OidcRig;
before(async () => {
  rig = await startOidcRig();
});
after(async () => await rig?.[Symbol.asyncDispose]());

const web = { grantTypes: ["authorization_code"], redirectUris: ["https://trex.example/callback"] };

async function metric(name: string): Promise<number> {
  const { body } = await rig.server.ask("/metrics");
  const line = new RegExp(`^${name} (\\d+)`, "m").exec(body.toString());
  return Number(line?.[1] ?? 0);
}

describe("an OidcIssuer", () => {
  it("has the registration endpoint that the provider states", async () => {
    const { status } = await rig.issuers.ready("company");
    const { registrationEndpoint } = status as unknown as JsonObject;
    assert.equal(registrationEndpoint, `${rig.proxy.url}/reg`);
  });

  it("that the provider does not know is not ready", async () => {
    // The provider is the same, and states another issuer.
    await rig.issuers.create("other", issuerSpec(rig.provider.url, true));
    const one = await rig.issuers.says("other", "Ready", "DiscoveryInvalid");
    assert.match(condition(one, "Ready")?.message ?? "", /states another issuer/);
    await rig.issuers.delete("other");
    await rig.issuers.gone("other");
  });

  it("is refused with the field that is wrong", async () => {
    const specs: readonly (readonly [JsonObject, RegExp])[] = [
      [issuerSpec("http://login.example", true), /spec\.issuer: .*must start with https/],
      [issuerSpec("https://a:b@login.example", true), /spec\.issuer: .*password/],
      [issuerSpec("https://login.example", true, { ca: "x" }), /spec\.ca: .*certificate/],
      [
        { issuer: "https://login.example", registration: { softwareId: "Identifies" } },
        /spec\.registration\.initialAccessToken: Required value/,
      ],
    ];
    for (const [spec, message] of specs) {
      const { status, text } = await rig.issuers.tryCreate("wrong", spec);
      assert.equal(status, 422, text);
      assert.match(text, message);
    }
  });
});

describe("an OidcClient", () => {
  it("has working credentials in its Secret, and is deleted at the provider with it", async () => {
    await rig.clients.create("trex", clientSpec("trex-oidc"));
    const { status } = await rig.clients.ready("trex");
    const { clientId, issuer } = await rig.working("trex-oidc");
    assert.equal(clientId, status?.clientId);
    assert.equal(issuer, rig.proxy.url);
    const { client_name: name, grant_types: grants } =
      rig.provider.registeredClient(clientId) ?? {};
    assert.deepEqual([name, grants], ["Dinosaurs", ["client_credentials"]]);
    await rig.clients.delete("trex");
    await rig.clients.gone("trex");
    assert.equal(rig.provider.registeredClients().includes(clientId), false);
    await waitUntil("the Secret to be deleted", async () => {
      return (await rig.credentials("trex-oidc")) === undefined;
    });
  });

  it("is changed at the provider with its spec, and keeps its credentials", async () => {
    await rig.clients.create("web", clientSpec("web-oidc", web));
    await rig.clients.ready("web");
    const first = await rig.credentials("web-oidc");
    const redirectUris = ["https://a.example/x", "https://b.example/y"];
    await rig.clients.patch("web", { spec: { redirectUris, clientName: "Web" } });
    await rig.clients.ready("web");
    const stored = rig.provider.registeredClient(first?.clientId ?? "") ?? {};
    assert.deepEqual([stored["redirect_uris"], stored["client_name"]], [redirectUris, "Web"]);
    assert.deepEqual(await rig.credentials("web-oidc"), first);
    // An update has given the client another token, which was stored.
    await rig.clients.patch("web", { spec: { clientName: "Web 2" } });
    await rig.clients.ready("web");
    assert.equal(rig.provider.registeredClient(first?.clientId ?? "")?.["client_name"], "Web 2");
  });

  it("that is settled causes no further write", async () => {
    const writes = rig.proxy.writes().length;
    const { metadata } = await rig.clients.reconcile("web");
    assert.equal(rig.proxy.writes().length, writes);
    assert.equal((await rig.clients.present("web")).metadata.generation, metadata.generation);
  });

  it("gets a new secret with each rotation, and the old client is deleted after it", async () => {
    await rig.clients.create("turning", clientSpec("turning-oidc"));
    await rig.clients.ready("turning");
    let last = await rig.working("turning-oidc");
    for (const rotation of [1, "2026-01-01", 1]) {
      await rig.clients.patch("turning", { spec: { rotation } });
      await rig.clients.ready("turning");
      const next = await rig.working("turning-oidc");
      assert.notEqual(next.clientId, last.clientId);
      assert.notEqual(next.secret, last.secret);
      assert.equal(rig.provider.registeredClients().includes(last.clientId), false);
      last = next;
    }
    const { status } = await rig.clients.present("turning");
    assert.deepEqual(Object.keys(status?.registrations ?? {}), [last.clientId]);
  });

  it("moves its credentials to another Secret", async () => {
    await rig.clients.patch("turning", { spec: { secretName: "turned-oidc" } });
    await rig.clients.ready("turning");
    await rig.working("turned-oidc");
    assert.equal(await rig.credentials("turning-oidc"), undefined);
  });

  it("does not replace a Secret of another owner", async () => {
    await rig.clients.create("thief", clientSpec("registration"));
    const one = await rig.clients.until("thief", "refused", (each) => {
      return condition(each, "Synced")?.status === "False";
    });
    assert.match(condition(one, "Synced")?.message ?? "", /"default\/registration" exists/);
    await rig.clients.delete("thief");
    await rig.clients.gone("thief");
    // The initial access token is still there.
    await rig.clients.create("after", clientSpec("after-oidc"));
    await rig.clients.ready("after");
  });

  it("in a namespace that the issuer does not allow is refused, and nothing is sent", async () => {
    const writes = rig.proxy.writes().length;
    const { status, text } = await rig.clientsIn("strangers").tryCreate("no", clientSpec("no"));
    assert.equal(status, 422, text);
    assert.match(text, /spec\.issuer: .*no OidcIssuer of this name allows the namespace strangers/);
    assert.equal(rig.proxy.writes().length, writes);
    await rig.clientsIn("friends").create("yes", clientSpec("yes"));
    await rig.clientsIn("friends").ready("yes");
  });

  it("is refused with the field that is wrong", async () => {
    const specs: readonly (readonly [JsonObject, RegExp])[] = [
      [{ grantTypes: ["authorization_code"] }, /spec\.redirectUris: Required value/],
      [{ redirectUris: ["/relative"] }, /spec\.redirectUris\[0\]: .*absolute URI/],
      [{ redirectUris: ["https://a.example/#b"] }, /spec\.redirectUris\[0\]: .*fragment/],
      [{ scopes: ["a b"] }, /spec\.scopes\[0\]: .*one scope/],
      [{ grantTypes: ["implicit"] }, /spec\.grantTypes\[0\]: Unsupported value/],
      [{ secretName: "Not A Name" }, /spec\.secretName/],
      [{ rotation: "x".repeat(101) }, /spec\.rotation/],
    ];
    for (const [more, message] of specs) {
      const { status, text } = await rig.clients.tryCreate("wrong", clientSpec("wrong", more));
      assert.equal(status, 422, text);
      assert.match(text, message);
    }
  });

  it("shows neither its secret nor its token, in any form", async () => {
    const { secret } = await rig.working("turned-oidc");
    const { clientId } = await rig.working("turned-oidc");
    const path = rig.clients.path("turning");
    const answers = await Promise.all(
      [
        path,
        rig.clients.path(),
        "/api/v1/namespaces/default/events",
        "/api/v1/history/oidcclients.oidc.setpoint.dev/turning?namespace=default",
        "/metrics",
      ].map(async (each) => {
        const { status, body } = await rig.server.ask(each);
        assert.equal(status, 200, `${each}: ${body.toString().slice(0, 300)}`);
        return body.toString();
      }),
    );
    const tokens = rig.proxy.seen.flatMap(({ method, headers }) => {
      const [, token = ""] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
      return method === "GET" && token !== "" ? [token] : [];
    });
    assert.ok(tokens.length > 0);
    for (const text of [...answers, rig.server.log()]) {
      for (const hidden of [secret, ...tokens]) assert.equal(text.includes(hidden), false);
    }
    assert.ok(answers[0]?.includes(clientId));
  });
});

describe("a client at the provider", () => {
  it("that was changed there is put back", async () => {
    await rig.clients.create("drift", clientSpec("drift-oidc", web));
    await rig.clients.ready("drift");
    const { clientId = "" } = (await rig.credentials("drift-oidc")) ?? {};
    const drifted = await metric("setpoint_oidc_client_drift_total");
    rig.provider.changeClient(clientId, { redirect_uris: ["https://evil.example/steal"] });
    await rig.clients.reconcile("drift");
    const stored = rig.provider.registeredClient(clientId);
    assert.deepEqual(stored?.["redirect_uris"], web.redirectUris);
    assert.equal(await metric("setpoint_oidc_client_drift_total"), drifted + 1);
  });

  it("whose secret was changed there has the new secret in the Secret", async () => {
    await rig.clients.create("secretive", clientSpec("secretive-oidc"));
    await rig.clients.ready("secretive");
    const { clientId } = await rig.working("secretive-oidc");
    rig.provider.changeClient(clientId, { client_secret: "another-secret-for-tests" });
    await rig.clients.reconcile("secretive");
    assert.equal((await rig.working("secretive-oidc")).secret, "another-secret-for-tests");
  });

  it("that was deleted there is registered again, with new credentials", async () => {
    await rig.clients.create("deleted", clientSpec("deleted-oidc"));
    await rig.clients.ready("deleted");
    const first = await rig.working("deleted-oidc");
    rig.provider.changeClient(first.clientId, "delete");
    await rig.clients.reconcile("deleted");
    await rig.clients.ready("deleted");
    const next = await rig.working("deleted-oidc");
    assert.notEqual(next.secret, first.secret);
    const { status } = await rig.clients.present("deleted");
    assert.equal(status?.unconfirmed, undefined);
  });

  it("that was deleted there counts as deleted", async () => {
    const { clientId } = await rig.working("deleted-oidc");
    rig.provider.changeClient(clientId, "delete");
    await rig.clients.delete("deleted");
    await rig.clients.gone("deleted");
  });

  it("has its credentials put back into a Secret that a user changed", async () => {
    const first = await rig.working("secretive-oidc");
    const path = "/api/v1/namespaces/default/secrets/secretive-oidc";
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { data: { client_secret: Buffer.from("wrong").toString("base64") } };
    assert.equal((await rig.server.ask(path, { method: "PATCH", headers, body })).status, 200);
    await waitUntil("the Secret to be put back", async () => {
      return (await rig.credentials("secretive-oidc"))?.secret === first.secret;
    });
    assert.equal((await rig.server.ask(path, { method: "DELETE" })).status, 200);
    await waitUntil("the Secret to be written again", async () => {
      return (await rig.credentials("secretive-oidc"))?.secret === first.secret;
    });
  });
});

describe("an OidcIssuer in use", () => {
  it("is deleted after its last client", async () => {
    await rig.issuers.create("ending", issuerSpec(rig.proxy.url, true));
    await rig.clients.create("ending", { ...clientSpec("ending-oidc"), issuer: "ending" });
    await rig.clients.ready("ending");
    await rig.issuers.delete("ending");
    await rig.issuers.until("ending", "in use", (one) => {
      return /OidcClients use it/.test(condition(one, "Ready")?.message ?? "");
    });
    const late = await rig.clients.tryCreate("late", { ...clientSpec("x"), issuer: "ending" });
    assert.equal(late.status, 422, late.text);
    await rig.clients.delete("ending");
    await rig.clients.gone("ending");
    await rig.issuers.gone("ending");
  });
});
