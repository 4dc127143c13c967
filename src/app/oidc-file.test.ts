import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { generateSigningKey, readSigningKey } from "../intents/auth/signing-key.ts";
import type { SetpointError } from "../kernel/errors.ts";
import { parseYaml } from "../kernel/yaml.ts";
import { pathIn } from "./file-fields.ts";
import { readOidc } from "./oidc-file.ts";
import type { OidcFileConfig } from "./oidc-file.ts";
import { parseKeyFile } from "./oidc-key-file.ts";

function read(text: string): OidcFileConfig {
  return readOidc(parseYaml(text).value, "oidc[0]", pathIn("/etc/setpoint"));
}

const refusal =
  (text: string) =>
  (error: SetpointError): boolean =>
    error.code === "config.invalid" && error.message.includes(text);

const issuer = "issuer: https://login.test\n";

describe("a provider in the configuration file", () => {
  it("has every field", () => {
    const text = `${issuer}audiences: [fleet]
usernameClaim: [username, preferred_username]
usernamePrefix: ""
groupsClaim: realm_access.roles
groupsPrefix: "role:"
requiredClaims: { typ: Bearer, active: true, level: 2 }
extraClaims: { org_id: org_id, roles: realm_access.roles }
requireIssuedAt: true
jwksUri: https://login.test/keys
jwksFile: keys.json
caFile: ca.pem
`;
    assert.deepEqual(read(text), {
      issuer: "https://login.test",
      audiences: ["fleet"],
      usernameClaims: ["username", "preferred_username"],
      usernamePrefix: "",
      groupsClaim: "realm_access.roles",
      groupsPrefix: "role:",
      requiredClaims: { typ: "Bearer", active: true, level: 2 },
      extraClaims: { org_id: "org_id", roles: "realm_access.roles" },
      requireIssuedAt: true,
      jwksUri: "https://login.test/keys",
      jwksFile: "/etc/setpoint/keys.json",
      caFile: "/etc/setpoint/ca.pem",
    });
  });

  it("may name one username claim, and may accept every audience", () => {
    assert.deepEqual(read(`${issuer}usernameClaim: email\nanyAudience: true\n`), {
      issuer: "https://login.test",
      audiences: [],
      anyAudience: true,
      usernameClaims: ["email"],
    });
  });

  const wrong: readonly (readonly [text: string, message: string])[] = [
    [issuer, "oidc[0].audiences is missing: list the audiences"],
    [`${issuer}clientIds: [a]\n`, "oidc[0].clientIds is not a known key; known keys: issuer, aud"],
    [`${issuer}audiences: [a]\nanyAudience: true\n`, "oidc[0].anyAudience accepts every token"],
    ["issuer: http://login.test\naudiences: [a]\n", "oidc[0].issuer must be a URL with https"],
    ["issuer: http://localhost\naudiences: [a]\n", "oidc[0].issuer is not https; add http: true"],
    [`${issuer}audiences: [a]\nhttp: true\n`, "oidc[0].http is only for an issuer at http://"],
    [`${issuer}audiences: [a]\nusernameClaim: []\n`, "oidc[0].usernameClaim must name at least"],
    [`${issuer}audiences: [a]\nusernameClaim: 5\n`, "oidc[0].usernameClaim must be a string"],
    [`${issuer}audiences: [a]\nrequiredClaims: [typ]\n`, "oidc[0].requiredClaims must be a map"],
    [
      `${issuer}audiences: [a]\nrequiredClaims: { typ: [a] }\n`,
      "oidc[0].requiredClaims.typ must be a string, a number, true or false",
    ],
    [
      `${issuer}audiences: [a]\nextraClaims: { kubernetes.io/org: org }\n`,
      "oidc[0].extraClaims.kubernetes.io/org is a reserved key",
    ],
    [`${issuer}audiences: [a]\ngroupsPrefix: 5\n`, "oidc[0].groupsPrefix must be a string"],
  ];
  for (const [text, message] of wrong) {
    it(`is refused with "${message}"`, () => {
      assert.throws(() => read(text), refusal(message));
    });
  }
});

describe("a file with the keys of a provider", () => {
  const { publicJwk } = readSigningKey(generateSigningKey());

  it("contains public keys", () => {
    assert.deepEqual(parseKeyFile(JSON.stringify({ keys: [publicJwk] }), "k.json"), [publicJwk]);
  });

  const wrong: readonly (readonly [contents: string, message: string])[] = [
    ["{", "the key file k.json: is not JSON"],
    ["[]", 'the key file k.json: must be a JSON object with the list "keys"'],
    ['{"keys": []}', "the key file k.json: contains no keys"],
    ['{"keys": [{"kty": "oct", "k": "AAAA"}]}', "keys[0] is not a valid key"],
    [JSON.stringify({ keys: [{ ...publicJwk, d: "AA" }] }), "keys[0] is a private key"],
    [JSON.stringify({ keys: [{ ...publicJwk, use: "enc" }] }), "keys[0] is not a public key for"],
  ];
  for (const [contents, message] of wrong) {
    it(`is refused with "${message}"`, () => {
      assert.throws(() => parseKeyFile(contents, "k.json"), refusal(message));
    });
  }
});
