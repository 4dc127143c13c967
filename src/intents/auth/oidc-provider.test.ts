import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import { isTrustedAddress, providerProblem } from "./oidc-provider.ts";
import type { OidcProvider } from "./oidc-provider.ts";

const good: OidcProvider = { issuer: "https://login.test", audiences: ["a"] };

function problem(change: Partial<OidcProvider>): string {
  const found = providerProblem({ ...good, ...change });
  return found === undefined ? "" : `${found.field} ${found.problem}`;
}

test("an issuer is https, or http on this machine where that is allowed", () => {
  equal(problem({}), "");
  for (const issuer of ["http://127.0.0.1:8080", "http://localhost:8080/realms/a"]) {
    match(problem({ issuer }), /^issuer is not https; add http: true/);
    equal(problem({ issuer, http: true }), "");
    equal(problem({ issuer, http: true, jwksUri: "http://127.0.0.1/keys" }), "");
  }
  for (const issuer of ["http://login.test", "http://127.0.0.1.evil.test", "http://[::1]"]) {
    match(problem({ issuer }), /^issuer must be a URL with https/);
    match(problem({ issuer, http: true }), /^http is only for an issuer at/);
  }
  match(problem({ http: true }), /^http is only for an issuer at/);
  match(problem({ issuer: "login" }), /^issuer must be a URL/);
  match(problem({ jwksUri: "http://login.test/keys" }), /^jwksUri must be a URL with https/);
  match(problem({ jwksUri: "http://127.0.0.1/keys" }), /^jwksUri must be a URL with https/);
  deepEqual(
    ["https://a/k", "http://127.0.0.1/k", "ftp://a", ""].map((url) => isTrustedAddress(url, {})),
    [true, false, false, false],
  );
});

test("audiences are left out only where every audience is accepted", () => {
  match(problem({ audiences: [] }), /^audiences is missing: .*anyAudience: true/);
  equal(problem({ audiences: [], anyAudience: true }), "");
  match(problem({ anyAudience: true }), /^anyAudience accepts every token/);
});

test("keys of extra values are lower case and not reserved", () => {
  const key = (name: string): string => problem({ extraClaims: { [name]: "claim" } });
  for (const name of ["org_id", "example.org/org-id", "a", "is_org_admin"]) equal(key(name), "");
  for (const name of ["Org", "", "-a", "a-", "ä", "a b"]) {
    match(key(name), /must consist of lower-case letters/);
  }
  for (const name of [
    "authentication.setpoint.dev/issuer",
    "authentication.example.org/x",
    "setpoint.dev",
    "fleet.setpoint.dev/org",
    "kubernetes.io/x",
    "a.k8s.io/x",
  ]) {
    match(key(name), /is a reserved key/);
  }
  equal(key("notsetpoint.dev/x"), "");
});
