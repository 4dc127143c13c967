import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { parseExact } from "../../kernel/int64.ts";
import { checkTimes, oidcUser } from "./oidc-claims.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { refusalOf } from "./refusal.ts";
import { issuerOf } from "./user.ts";

const issuer = "https://login.test";
const base: OidcProvider = { issuer, audiences: ["fleet"] };

function user(claims: JsonObject, provider: Partial<OidcProvider> = {}) {
  return oidcUser({ aud: "fleet", sub: "7", ...claims }, { ...base, ...provider });
}

function refused(act: () => unknown, reason: string): void {
  throws(act, (error) => refusalOf(error)?.reason === reason, reason);
}

test("the name is the first username claim that is present", () => {
  const provider = { usernameClaims: ["username", "preferred_username"], usernamePrefix: "" };
  equal(user({ username: "ann", preferred_username: "bob" }, provider).name, "ann");
  equal(user({ username: "", preferred_username: "bob" }, provider).name, "bob");
  equal(user({ username: null, preferred_username: "bob" }, provider).name, "bob");
  refused(() => user({}, provider), "missing claim username or preferred_username");
  refused(() => user({ username: 5 }, provider), "claim username must be a string");
});

test("the default prefix of a name depends on the claim that was found", () => {
  const provider = { usernameClaims: ["email", "sub"] };
  equal(user({ email: "a@b" }, provider).name, "a@b");
  equal(user({}, provider).name, `${issuer}#7`);
});

test("groups and extra values are found by a path, and by a name with dots first", () => {
  const nested = {
    realm_access: { roles: ["admin-read", "admin-full"] },
    resource: { access: { roles: "one" } },
  };
  const named = { groupsClaim: "realm_access.roles", groupsPrefix: "sso:" };
  const both = { ...nested, "realm_access.roles": ["by-name"] };
  deepEqual(user(both, named).groups, ["sso:by-name"]);
  deepEqual(user(nested, named).groups, ["sso:admin-read", "sso:admin-full"]);
  deepEqual(user(nested, { groupsClaim: "resource.access.roles" }).groups, ["one"]);
  deepEqual(user(nested, { groupsClaim: "resource.none.roles" }).groups, []);
  deepEqual(user(nested, { extraClaims: { roles: "realm_access.roles" } }).extra["roles"], [
    "admin-read",
    "admin-full",
  ]);
});

test("extra values are lists of strings, and absent claims are left out", () => {
  const claims = parseExact(
    '{"org": "o-1", "account": 9007199254740993, "is_admin": true, "ids": [1, "b", false]}',
  );
  const extraClaims = { org: "org", account: "account", admin: "is_admin", ids: "ids", no: "no" };
  deepEqual(user(claims as JsonObject, { extraClaims }).extra, {
    org: ["o-1"],
    account: ["9007199254740993"],
    admin: ["true"],
    ids: ["1", "b", "false"],
    "authentication.setpoint.dev/issuer": [issuer],
  });
  const reason = "claim org must be a string, a number, true, false or a list of these";
  refused(() => user({ org: { id: 1 } }, { extraClaims }), reason);
  refused(() => user({ org: [["a"]] }, { extraClaims }), reason);
});

test("every user carries the issuer, and users with other credentials do not", () => {
  equal(issuerOf(user({})), issuer);
  equal(issuerOf({ name: "ann", groups: [], extra: {} }), undefined);
});

test("required claims must be present with exactly the configured value", () => {
  const provider = { requiredClaims: { typ: "Bearer", "org.active": true } };
  const good = { typ: "Bearer", org: { active: true } };
  equal(user(good, provider).name, `${issuer}#7`);
  refused(() => user({ ...good, typ: null }, provider), "missing claim typ");
  refused(() => user({ ...good, typ: "ID" }, provider), 'claim typ must be "Bearer"');
  const text = { ...good, org: { active: "true" } };
  refused(() => user(text, provider), "claim org.active must be true");
});

test("a token for other audiences is refused, unless every audience is accepted", () => {
  refused(() => user({ aud: ["a", "b"] }), 'wrong audience: expected one of ["fleet"]');
  refused(() => user({ aud: null }), 'wrong audience: expected one of ["fleet"]');
  equal(user({ aud: ["a", "fleet"] }).name, `${issuer}#7`);
  equal(user({ aud: "a" }, { audiences: [], anyAudience: true }).name, `${issuer}#7`);
});

test("a token has an end, and a start if it names one", () => {
  const at = (claims: JsonObject, provider: Partial<OidcProvider> = {}) =>
    checkTimes(claims, { ...base, ...provider }, 1_000_000);
  at({ exp: 1_001 });
  at({ exp: 1_001, nbf: 1_060, iat: 1_060 });
  refused(() => at({}), "missing claim exp");
  refused(() => at({ exp: "1001" }), "claim exp must be a number of seconds");
  refused(() => at({ exp: 1_000 }), "token has expired");
  refused(() => at({ exp: 2_000, nbf: 1_061 }), "token is not valid yet");
  refused(() => at({ exp: 2_000, iat: 1_061 }), "token is not valid yet");
  refused(() => at({ exp: 2_000 }, { requireIssuedAt: true }), "missing claim iat");
  at({ exp: 2_000, iat: 900 }, { requireIssuedAt: true });
});
