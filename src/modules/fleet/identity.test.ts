import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { issuerKey } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { fleetCaller, organisationId } from "./identity.ts";
import type { MemberDirectory } from "./identity.ts";
import { readOffering } from "./offering.ts";
import { sampleOffering } from "./sample-offering.ts";

const offering = readOffering(sampleOffering());

const directory: MemberDirectory = {
  listed: (login) => (login === "ann" ? { organisation: "acme", user: "ann" } : undefined),
  acceptsIssuer: (organisation) => organisation !== "foreign",
  claimed: () => ["1337", "former"],
  member: (organisation, user) =>
    organisation === "acme" && user === "ann"
      ? { account: "a-1", isAdmin: true, isDenied: false }
      : undefined,
};

function person(extra: UserInfo["extra"], groups: readonly string[] = []): UserInfo {
  return { name: "ann", groups, extra };
}

const withToken = (extra: UserInfo["extra"]): UserInfo =>
  person({ [issuerKey]: ["https://sso.example"], ...extra });

describe("the caller of an Offering", () => {
  it("is what the claims of an OpenID token say", () => {
    const user = withToken({
      "rh-org-id": ["1337"],
      account_id: ["42"],
      is_org_admin: ["TRUE"],
      roles: ["Dinosaurs-Admin-Read"],
      cluster_id: ["c1"],
    });
    assert.deepEqual(fleetCaller(user, offering, directory), {
      user: "ann",
      login: "ann",
      organisation: "1337",
      organisationName: "1337",
      organisationRefusal: undefined,
      claimedFrom: "https://sso.example org_id,rh-org-id",
      former: ["former"],
      account: "42",
      isOrganisationAdmin: true,
      roles: ["dinosaurs-admin-read"],
      clusterId: "c1",
      issuer: "https://sso.example",
      isServerAdmin: false,
    });
  });

  it("takes the first claim of the organisation that has a value", () => {
    const user = withToken({ org_id: [""], "rh-org-id": ["second"] });
    assert.equal(fleetCaller(user, offering, directory).organisation, "second");
  });

  it("has no organisation when the token names none", () => {
    assert.equal(fleetCaller(withToken({}), offering, directory).organisation, undefined);
  });

  it("is what the Organisations say for a user without an OpenID token", () => {
    const caller = fleetCaller(person({ org_id: ["other"] }), offering, directory);
    assert.equal(caller.organisation, "acme");
    assert.equal(caller.account, "a-1");
    assert.equal(caller.isOrganisationAdmin, true);
    assert.equal(caller.issuer, undefined);
  });

  it("has no organisation that belongs to another issuer", () => {
    const caller = fleetCaller(withToken({ org_id: ["foreign"] }), offering, directory);
    assert.equal(caller.organisation, undefined);
    assert.match(caller.organisationRefusal ?? "", /foreign does not accept .* https:\/\/sso/);
  });

  it("is the member with the name of RBAC, for a user without an OpenID token", () => {
    const renamed: MemberDirectory = {
      ...directory,
      listed: (login) => (login === "ann" ? { organisation: "acme", user: "ann@acme" } : undefined),
    };
    const named = readOffering(sampleOffering({ api: { claims: { user: "login" } } }));
    assert.equal(fleetCaller(person({}), named, renamed).user, "ann@acme");
    const claiming = { name: "eve", groups: [], extra: { login: ["ann@acme"] } };
    const eve = fleetCaller(claiming, named, renamed);
    assert.equal(eve.user, "eve", "only an issuer can name another user");
    assert.equal(eve.organisation, undefined);
  });

  it("is an administrator by the claim, and without one by the Organisation", () => {
    const claimed = withToken({ org_id: ["acme"], is_org_admin: ["false"] });
    assert.equal(fleetCaller(claimed, offering, directory).isOrganisationAdmin, false);
    const silent = withToken({ org_id: ["acme"] });
    assert.equal(fleetCaller(silent, offering, directory).isOrganisationAdmin, true);
  });

  it("counts the groups of a user as roles", () => {
    const caller = fleetCaller(person({}, ["dinosaurs-admin-full"]), offering, directory);
    assert.deepEqual(caller.roles, ["dinosaurs-admin-full"]);
  });

  it("is the agent of a cluster by its ServiceAccount alone", () => {
    const agent = { name: "system:serviceaccount:cluster-c7:agent", groups: [], extra: {} };
    assert.equal(fleetCaller(agent, offering, directory).clusterId, "c7");
    const other = { ...agent, name: "system:serviceaccount:cluster-c7:default" };
    assert.equal(fleetCaller(other, offering, directory).clusterId, undefined);
    const elsewhere = { ...agent, name: "system:serviceaccount:team-c7:agent" };
    assert.equal(fleetCaller(elsewhere, offering, directory).clusterId, undefined);
  });

  it("has the name of the configured claim as its owner name", () => {
    const named = readOffering(sampleOffering({ api: { claims: { user: "login" } } }));
    const user = withToken({ login: ["ann@acme"] });
    assert.equal(fleetCaller(user, named, directory).user, "ann@acme");
    assert.equal(fleetCaller(withToken({}), named, directory).user, "ann");
  });
});

describe("the id of an organisation", () => {
  it("is the claim where it can be part of a namespace", () => {
    for (const id of ["1337", "acme", "a", "a-b", `a${"b".repeat(49)}`]) {
      assert.equal(organisationId(id), id);
    }
  });

  it("is a digest otherwise, so that no two claims have the same id", () => {
    const claims = ["Acme", "ACME", "a_b", "-a", "a-", "a.b", "", `a${"b".repeat(50)}`, "x-1"];
    const ids = claims.map(organisationId);
    for (const id of ids) assert.match(id, /^x-[0-9a-f]{32}$/);
    assert.equal(new Set(ids).size, claims.length);
    // The digest of a claim is not a way to choose the id of another organisation.
    assert.notEqual(organisationId(organisationId("Acme")), organisationId("Acme"));
  });
});
