// Names that are secret, and names that only describe a secret.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyTree } from "../document/tree.ts";
import type { SchemaNode } from "../document/tree.ts";
import { isSecretField, isSecretName } from "./secret-name.ts";

const secret = [
  ..."password Password adminPassword admin-password new_password passwd db_pwd passphrase".split(
    " ",
  ),
  ..."smtpPass token access_token accessToken refresh-token bot_token TOKEN sasToken".split(" "),
  ..."secret clientSecret client_secret webhook-secret sharedSecret secrets".split(" "),
  ..."private_key privateKey tls.key private_key_pem sshPrivateKey signing_key".split(" "),
  ..."api_key apiKey APIKey apikey x-api-key secretAccessKey accessKey preSharedKey".split(" "),
  ..."credentials credential password_hash secret_value connectionString psk".split(" "),
];

const plain = [
  ..."token_type tokenType password_policy passwordPolicy secret_name secretName".split(" "),
  ..."access_token_url token_endpoint secretRef token_count max_tokens tokens_per_minute".split(
    " ",
  ),
  ..."key public_key publicKey partition_key primaryKey sort_key keys routing_key".split(" "),
  ..."nextPageToken continuation_token page_token sync_token access_key_id".split(" "),
  ..."has_password requiresPassword name secretary passport compass bypass tokenizer".split(" "),
  ..."password_reset_url passwordExpiresAt credentials_id credential_type".split(" "),
];

test("passwords, tokens, keys and credentials are secret in every way to write them", () => {
  assert.deepEqual(
    secret.filter((name) => !isSecretName(name)),
    [],
  );
});

test("names that describe a secret, paging tokens and other keys are not secret", () => {
  assert.deepEqual(
    plain.filter((name) => isSecretName(name)),
    [],
  );
});

function field(name: string, more: Partial<SchemaNode> = {}): SchemaNode {
  return { ...emptyTree, name, types: ["string"], ...more };
}

test("only texts are secret by their name, unless the document limits or explains them", () => {
  assert.equal(isSecretField(field("password")), true);
  assert.equal(isSecretField(field("password", { types: [] })), true);
  assert.equal(isSecretField(field("password", { types: ["boolean"] })), false);
  assert.equal(isSecretField(field("tokens", { types: ["integer"] })), false);
  assert.equal(isSecretField(field("token", { keywords: { enum: ["jwt", "opaque"] } })), false);
  assert.equal(isSecretField(field("secret", { keywords: { format: "uri" } })), false);
  const description = "The name of the Kubernetes secret with the certificate.";
  assert.equal(isSecretField(field("secret", { description })), false);
});

test("a map of texts is secret by its name, an object with fields is judged field by field", () => {
  const additional = field("credentials");
  assert.equal(isSecretField(field("credentials", { types: ["object"], additional })), true);
  const properties = new Map([["username", field("username")]]);
  assert.equal(isSecretField(field("credentials", { types: ["object"], properties })), false);
});
