import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LiveListener, LiveRecord } from "../../intents/live-view.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { followMembers } from "./member-directory.ts";
import { fleetVersion, organisationKey, organisationsKind } from "./names.ts";

function organisation(name: string, members: readonly JsonObject[]): LiveRecord {
  const metadata = { name, uid: name, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
  const resource = { apiVersion: fleetVersion, kind: "Organisation", metadata, spec: { members } };
  return { key: organisationKey(name), revision: 1, resource };
}

describe("the directory of members", () => {
  it("follows the Organisations", () => {
    let tell: LiveListener | undefined;
    let isFollowed = true;
    const directory = followMembers({
      follow: (kind, listener) => {
        assert.equal(kind, organisationsKind);
        tell = listener;
        return () => {
          isFollowed = false;
        };
      },
    });
    const beta = organisation("beta", [{ user: "ann" }, { user: "bob", isDenied: true }]);
    const acme = organisation("acme", [{ user: "ann", account: "7", isAdmin: true }]);
    tell?.(beta, undefined);
    assert.equal(directory.listed("ann")?.organisation, "beta");
    tell?.(acme, undefined);
    assert.equal(directory.listed("ann")?.organisation, "acme");
    const ann = { login: "ann", claimedFrom: "", account: "7", isAdmin: true, isDenied: false };
    assert.deepEqual(directory.member("acme", "ann"), ann);
    assert.equal(directory.member("beta", "bob")?.isDenied, true);
    assert.equal(directory.member("acme", "bob"), undefined);

    tell?.(organisation("beta", [{ user: "ann" }]), beta);
    assert.equal(directory.listed("bob"), undefined);
    tell?.(undefined, acme);
    assert.equal(directory.listed("ann")?.organisation, "beta");

    directory[Symbol.dispose]();
    assert.equal(isFollowed, false);
  });

  it("finds members by the name that RBAC knows, and what claims have named", () => {
    let report: LiveListener | undefined;
    using directory = followMembers({
      follow: (_, listener) => {
        report = listener;
        return () => undefined;
      },
    });
    const member = { user: "ann@acme", rbacUser: "sso:ann", claimedFrom: "sso org_id" };
    const acme = organisation("acme", [member, { user: "bob", rbacUser: "" }]);
    const { resource } = acme;
    const spec = { ...objectAt(resource, "spec"), issuers: ["https://sso"] };
    report?.({ ...acme, resource: { ...resource, spec } }, undefined);
    assert.deepEqual(directory.listed("sso:ann"), { organisation: "acme", user: "ann@acme" });
    assert.equal(directory.listed("ann@acme"), undefined);
    assert.equal(directory.listed("bob"), undefined);
    assert.deepEqual(directory.claimed("sso:ann", "sso org_id"), ["acme"]);
    assert.deepEqual(directory.claimed("sso:ann", "sso other"), []);
    assert.equal(directory.acceptsIssuer("acme", "https://sso"), true);
    assert.equal(directory.acceptsIssuer("acme", "https://other"), false);
    assert.equal(directory.acceptsIssuer("new", "https://other"), true);
  });
});
