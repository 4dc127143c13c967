import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { checkServiceAccess } from "./access.ts";
import { readOffering } from "./offering.ts";
import { sampleOffering } from "./sample-offering.ts";
import { acceptanceOf, checkTerms } from "./terms.ts";

const terms = { version: "2", url: "https://example.dev/terms" };
const ann = { user: "ann", organisation: "acme" };

describe("access to the service", () => {
  const outcome = (access: JsonObject, isDenied = false): string => {
    const offering = readOffering(sampleOffering({ access }));
    const known = { login: "ann", claimedFrom: "", account: "", isAdmin: false };
    const members = new Map([["ann", { ...known, isDenied }]]);
    try {
      checkServiceAccess(offering, { isDenied: false, members }, ann);
      return "ok";
    } catch (error) {
      return isSetpointError(error) ? error.code : String(error);
    }
  };

  it("is refused to denied users first, and in maintenance to organisations not allowed", () => {
    assert.equal(outcome({}), "ok");
    assert.equal(outcome({}, true), "fleet.denied");
    assert.equal(outcome({ deniedUsers: ["ann"], isInMaintenance: true }), "fleet.denied");
    assert.equal(outcome({ isInMaintenance: true }), "fleet.maintenance");
    assert.equal(outcome({ isInMaintenance: true, allowedOrganisations: ["acme"] }), "ok");
  });
});

describe("the terms of an Offering", () => {
  const offering = readOffering(sampleOffering({ terms }));
  const accepted = (version: string, user = "ann", of = "dinosaurs") => ({
    termsAccepted: [{ user, offering: of, version, at: "2026-01-01T00:00:00Z" }],
  });

  it("must be accepted in their present version, by the user, for the Offering", () => {
    const isRefused = (error: unknown): boolean =>
      isSetpointError(error, "fleet.terms_not_accepted");
    checkTerms(accepted("2"), offering, "ann");
    const others = [
      accepted("1"),
      accepted("2", "bob"),
      accepted("2", "ann", "rockets"),
      undefined,
    ];
    for (const organisation of others) {
      assert.throws(() => checkTerms(organisation, offering, "ann"), isRefused);
    }
    checkTerms(undefined, readOffering(sampleOffering()), "ann");
  });

  it("are accepted by the newest entry of the user", () => {
    const both = {
      termsAccepted: [...accepted("1").termsAccepted, ...accepted("2").termsAccepted],
    };
    assert.equal(acceptanceOf(both, offering, "ann")?.version, "2");
  });
});
