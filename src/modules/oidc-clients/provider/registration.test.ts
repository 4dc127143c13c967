import assert from "node:assert/strict";
import { test } from "node:test";
import { expiryIn, isOfIssuer, registrationIn, renewedBy, unusableField } from "./registration.ts";

const issuer = "https://login.example/realm";
const answer = {
  client_id: "id",
  client_secret: "secret",
  registration_access_token: "token",
  registration_client_uri: "https://login.example/reg/id",
};

test("an answer is used when everything in it can be used", () => {
  assert.equal(unusableField(answer, issuer), undefined);
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  assert.deepEqual(registrationIn(answer, { softwareId: "sid", nowMs }), {
    clientId: "id",
    softwareId: "sid",
    uri: "https://login.example/reg/id",
    registeredAt: "2026-01-01T00:00:00Z",
    clientSecret: "secret",
    accessToken: "token",
  });
});

test("the field that cannot be used is named", () => {
  for (const field of ["client_id", "client_secret", "registration_access_token"]) {
    for (const value of ["", 7, null, "a\nb", "ü", "x".repeat(5_000), "__proto__"]) {
      assert.equal(unusableField({ ...answer, [field]: value }, issuer), field);
    }
  }
  const uri = "registration_client_uri";
  assert.equal(unusableField({ ...answer, [uri]: "https://evil.example" }, issuer), uri);
});

test("only URLs with the origin of the issuer are called", () => {
  assert.equal(isOfIssuer("https://login.example/any?x", issuer), true);
  const others = [
    "",
    "/reg",
    "http://login.example/reg",
    "https://login.example:8443/reg",
    "https://login.example.evil.example/reg",
    "https://a:b@login.example/reg",
    `https://login.example/${"x".repeat(3_000)}`,
  ];
  for (const url of others) assert.equal(isOfIssuer(url, issuer), false, url);
});

test("a later answer changes the secret and the token, and nothing else", () => {
  const known = registrationIn(answer, { softwareId: "sid", nowMs: 0 });
  const later = { ...answer, client_id: "other", registration_access_token: "token 2" };
  assert.deepEqual(renewedBy(known, later), { ...known, accessToken: "token 2" });
  assert.deepEqual(renewedBy(known, { client_secret: "\n" }), known);
});

test("a secret expires only at a time that can be read", () => {
  assert.equal(expiryIn({ client_secret_expires_at: 1_767_225_600 }), "2026-01-01T00:00:00Z");
  for (const value of [0, -1, 1.5, 1e15, "soon", null]) {
    assert.equal(expiryIn({ client_secret_expires_at: value }), undefined);
  }
});
