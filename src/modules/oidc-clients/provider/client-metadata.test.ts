import assert from "node:assert/strict";
import { test } from "node:test";
import { differingFields, metadataJson, metadataOf } from "./client-metadata.ts";
import type { ClientMetadata } from "./client-metadata.ts";
import type { Resource } from "../../../kernel/resource.ts";

const wanted: ClientMetadata = {
  clientName: "Dinosaurs",
  redirectUris: ["https://a.example", "https://b.example"],
  grantTypes: ["authorization_code", "refresh_token"],
  scopes: ["openid", "email"],
};

test("a client is sent with its software_id and a secret as its proof", () => {
  assert.deepEqual(metadataJson(wanted, "sid"), {
    client_name: "Dinosaurs",
    redirect_uris: ["https://a.example", "https://b.example"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "client_secret_basic",
    software_id: "sid",
    scope: "openid email",
  });
  const machine = { ...wanted, grantTypes: ["client_credentials"], scopes: [] };
  const sent = metadataJson(machine, "sid");
  assert.deepEqual([sent["response_types"], "scope" in sent], [[], false]);
});

test("a spec without grant types is a client for people", () => {
  const client = { spec: { clientName: "a" } } as unknown as Resource;
  assert.deepEqual(metadataOf(client).grantTypes, ["authorization_code"]);
});

test("the order of values and what a provider leaves out are not differences", () => {
  const returned = {
    client_name: "Dinosaurs",
    redirect_uris: ["https://b.example", "https://a.example"],
    grant_types: ["refresh_token", "authorization_code"],
    scope: "email openid",
    more: true,
  };
  assert.deepEqual(differingFields(wanted, returned), []);
  assert.deepEqual(differingFields(wanted, {}), []);
  const without = { ...wanted, scopes: [] };
  assert.deepEqual(differingFields(without, { scope: "openid" }), []);
});

test("fields with other values are named", () => {
  const returned = {
    client_name: "Others",
    redirect_uris: ["https://a.example", "https://evil.example"],
    grant_types: ["authorization_code", 7],
    scope: "openid",
  };
  const all = ["client_name", "redirect_uris", "grant_types", "scope"];
  assert.deepEqual(differingFields(wanted, returned), all);
  const twice = { redirect_uris: ["https://a.example", "https://a.example"] };
  assert.deepEqual(differingFields(wanted, twice), ["redirect_uris"]);
});
