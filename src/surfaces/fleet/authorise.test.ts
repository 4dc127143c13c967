import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetAccess } from "../../modules/fleet/api/fleet-route.ts";
import type { FleetState } from "../../modules/fleet/fleet-state.ts";
import type { MemberDirectory } from "../../modules/fleet/identity.ts";
import { readOffering } from "../../modules/fleet/offering.ts";
import type { Organisation } from "../../modules/fleet/organisations/organisation.ts";
import { sampleOffering } from "../../modules/fleet/sample-offering.ts";
import { issuerKey, mastersGroup } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { authorise, authoriseClass, hiddenCause, namespaceOfCaller } from "./authorise.ts";
import type { Asking } from "./authorise.ts";

const issuers = {
  public: { issuers: ["https://customers"] },
  admin: { issuers: ["https://admins"] },
  agent: { issuers: ["https://agents"] },
};
const agentName = "system:serviceaccount:cluster-c1:agent";

function user(issuer: string, extra: UserInfo["extra"] = {}, name = "ann"): UserInfo {
  return { name, groups: [], extra: { [issuerKey]: [issuer], ...extra } };
}

const customer = user("https://customers", { org_id: ["acme"] });
const admin = (role: string): UserInfo => user("https://admins", { roles: [role] });
const account: UserInfo = { name: agentName, groups: [], extra: {} };

function stateWith(organisation?: Partial<Organisation>): Asking["state"] {
  const organisations: FleetState["organisations"] = {
    get: () => organisation as Organisation | undefined,
  };
  const directory: MemberDirectory = {
    listed: () => undefined,
    member: () => undefined,
    acceptsIssuer: (id) => id !== "foreign",
    claimed: () => [],
  };
  return { directory, organisations };
}

function asking(by: UserInfo, more: Partial<Asking> & { readonly spec?: JsonObject } = {}): Asking {
  const { spec = {}, ...rest } = more;
  const offering = readOffering(sampleOffering({ api: issuers, ...spec }));
  return { offering, state: stateWith(), user: by, method: "GET", cluster: undefined, ...rest };
}

/** "ok", or the code of the refusal. */
function outcome(access: FleetAccess, asked: Asking): string {
  try {
    authorise(access, asked);
    return "ok";
  } catch (error) {
    assert.ok(isSetpointError(error), String(error));
    return error.code;
  }
}

describe("a customer", () => {
  it("needs a token of an issuer of the public API", () => {
    assert.equal(outcome("token", asking(customer)), "ok");
    assert.equal(outcome("token", asking(user("https://admins"))), "request.unauthenticated");
    assert.equal(outcome("any-token", asking(user("https://admins"))), "ok");
    const withoutIssuer = { name: "ann", groups: [], extra: {} };
    assert.equal(outcome("token", asking(withoutIssuer)), "request.unauthenticated");
    assert.equal(outcome("token", asking(withoutIssuer, { spec: { api: {} } })), "ok");
  });

  it("needs an organisation for instances", () => {
    assert.equal(outcome("member", asking(customer)), "ok");
    assert.equal(outcome("member", asking(user("https://customers"))), "request.unauthenticated");
  });

  it("is refused when the user, the organisation or the member is denied", () => {
    const denied = { spec: { access: { deniedUsers: ["ann"] } } };
    assert.equal(outcome("member", asking(customer, denied)), "fleet.denied");
    const whole = { state: stateWith({ isDenied: true, members: new Map() }) };
    assert.equal(outcome("member", asking(customer, whole)), "fleet.denied");
    const entry = { login: "ann", claimedFrom: "", account: "", isAdmin: false, isDenied: true };
    const members = new Map([["ann", entry]]);
    const member = { state: stateWith({ isDenied: false, members }) };
    assert.equal(outcome("member", asking(customer, member)), "fleet.denied");
    assert.equal(outcome("token", asking(customer, denied)), "ok");
  });

  it("is refused when the organisation belongs to another issuer", () => {
    const other = user("https://customers", { org_id: ["foreign"] });
    assert.throws(
      () => authorise("member", asking(other)),
      (error: unknown) => {
        assert.ok(isSetpointError(error, "request.unauthenticated"));
        const reason = textAt(error.details, "reason");
        assert.match(reason, /organisation foreign does not accept tokens of the issuer https:/);
        return true;
      },
    );
  });

  it("is refused in maintenance, unless the organisation is allowed", () => {
    const closed = { spec: { access: { isInMaintenance: true } } };
    assert.equal(outcome("member", asking(customer, closed)), "fleet.maintenance");
    const allowed = { isInMaintenance: true, allowedOrganisations: ["acme"] };
    assert.equal(outcome("member", asking(customer, { spec: { access: allowed } })), "ok");
  });
});

describe("an administrator", () => {
  const may = (role: string, method: string): string =>
    outcome("admin", asking(admin(role), { method }));

  it("needs the role of the method, in any case of its letters", () => {
    for (const method of ["GET", "HEAD"]) {
      assert.equal(may("dinosaurs-admin-read", method), "ok");
      assert.equal(may("dinosaurs-admin-write", method), "ok");
    }
    for (const method of ["PATCH", "POST", "PUT"]) {
      assert.equal(may("dinosaurs-admin-read", method), "fleet.not_found");
      assert.equal(may("Dinosaurs-Admin-Write", method), "ok");
    }
    assert.equal(may("dinosaurs-admin-write", "DELETE"), "fleet.not_found");
    assert.equal(may("dinosaurs-admin-full", "DELETE"), "ok");
    assert.equal(may("dinosaurs-admin-full", "TRACE"), "fleet.not_found");
  });

  it("needs a token of an issuer of the admin API", () => {
    const outsider = user("https://customers", { roles: ["dinosaurs-admin-full"] });
    assert.equal(outcome("admin", asking(outsider)), "fleet.not_found");
  });

  it("can be the administrator of the server, who has no issuer", () => {
    const master = { name: "admin", groups: [mastersGroup], extra: {} };
    assert.equal(outcome("admin", asking(master, { method: "DELETE" })), "ok");
  });
});

describe("an agent", () => {
  it("is the ServiceAccount of the cluster, and of no other one", () => {
    assert.equal(outcome("agent", asking(account, { cluster: "c1" })), "ok");
    assert.equal(outcome("agent", asking(account, { cluster: "c2" })), "fleet.not_found");
  });

  it("has a token of an issuer for agents, with the role and the cluster", () => {
    const extra = { roles: ["fleet-agent"], cluster_id: ["c1"] };
    const good = user("https://agents", extra);
    assert.equal(outcome("agent", asking(good, { cluster: "c1" })), "ok");
    assert.equal(outcome("agent", asking(good, { cluster: "c2" })), "fleet.not_found");
    const cases = [
      user("https://customers", extra),
      user("https://agents", { cluster_id: ["c1"] }),
      user("https://agents", { roles: ["fleet-agent"] }),
    ];
    for (const by of cases) {
      assert.equal(outcome("agent", asking(by, { cluster: "c1" })), "fleet.not_found");
    }
  });

  it("is never a token when the Offering names no issuer for agents", () => {
    const good = user("https://agents", { roles: ["fleet-agent"], cluster_id: ["c1"] });
    const asked = asking(good, { cluster: "c1", spec: { api: {} } });
    assert.equal(outcome("agent", asked), "fleet.not_found");
  });
});

describe("a request", () => {
  it("counts for the organisation or the cluster of a caller whom the API accepts", () => {
    assert.equal(namespaceOfCaller("public", asking(customer)), "org-acme");
    assert.equal(namespaceOfCaller("agent", asking(account)), "cluster-c1");
    const outsider = user("https://admins", { org_id: ["acme"], cluster_id: ["c1"] });
    for (const apiClass of ["public", "admin", "agent"] as const) {
      assert.equal(namespaceOfCaller(apiClass, asking(outsider)), undefined);
    }
  });
});

describe("a hidden refusal", () => {
  it("has the cause in its details, and not in its message", () => {
    assert.throws(
      () => authoriseClass("admin", asking(customer)),
      (error: unknown) => {
        assert.ok(isSetpointError(error, "fleet.not_found"));
        assert.equal(error.message, "Resource not found");
        assert.match(textAt(error.details, hiddenCause), /does not accept the issuer/);
        return true;
      },
    );
    authoriseClass("agent", asking(account));
  });
});
