import assert from "node:assert/strict";
import { test } from "node:test";
import type { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { formOf, tokensOf } from "./token-grant.ts";

const grant = { grant_type: "client_credentials" };

test("a client sends its secret as the issuer accepts it", () => {
  const client = { clientId: "a b", clientSecret: "p:ä+" };
  const basic = Buffer.from("a+b:p%3A%C3%A4%2B").toString("base64");
  for (const authMethods of [[], ["client_secret_basic", "client_secret_post"]]) {
    assert.deepEqual(formOf({ authMethods }, client, grant), {
      fields: { ...grant, client_id: "a b" },
      headers: { authorization: `Basic ${basic}` },
    });
  }
  assert.deepEqual(formOf({ authMethods: ["client_secret_post"] }, client, grant), {
    fields: { ...grant, client_id: "a b", client_secret: "p:ä+" },
    headers: {},
  });
  assert.deepEqual(formOf({ authMethods: [] }, { clientId: "cli" }, grant), {
    fields: { ...grant, client_id: "cli" },
    headers: {},
  });
});

test("an answer without a usable bearer token is refused", () => {
  const answer = (document: JsonObject) => () => tokensOf({ kind: "ok", document }, 1_000);
  assert.deepEqual(answer({ access_token: "a.b", token_type: "bearer", expires_in: "60" })(), {
    accessToken: "a.b",
    expiresAtMs: 61_000,
  });
  for (const document of [
    {},
    { access_token: "a", token_type: "DPoP" },
    { access_token: "a\r\nX: y", token_type: "Bearer" },
  ]) {
    assert.throws(answer(document), /did not return a bearer token/);
  }
  const endless = { access_token: "a", token_type: "Bearer", expires_in: "soon" };
  assert.equal(answer(endless)().expiresAtMs, 1_000);
});

test("a refusal names the option to correct", () => {
  for (const [error, fix] of [
    ["invalid_client", "--client-secret-file"],
    ["invalid_scope", "--scope"],
    ["invalid_target", "--resource"],
    ["unauthorized_client", "allow this grant for the client"],
    ["strange", "correct the client in the issuer"],
  ] as const) {
    const act = () => tokensOf({ kind: "refused", error, description: "because" }, 0);
    assert.throws(act, (thrown: SetpointError) => {
      assert.equal(thrown.message, `the issuer refused the request: ${error}: because`);
      return thrown.suggestion?.includes(fix) === true;
    });
  }
});
