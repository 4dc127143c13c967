import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { organisationBounds, organisationErrors, quotaWarnings } from "./organisation-check.ts";
import { readOrganisation } from "./organisation.ts";

function organisation(spec: JsonObject, name = "acme"): Resource {
  const metadata = { name, uid: "u", generation: 1, creationTimestamp: "" };
  return { apiVersion: "", kind: "Organisation", metadata, spec };
}

const quota = { offering: "dinosaurs", type: "standard", max: 2 };

test("a quota bounds the counter of the organisation or of one member", () => {
  const given = organisation({ quotas: [quota, { ...quota, user: "bob", max: 1 }] });
  assert.deepEqual(organisationBounds(readOrganisation(given)), [
    { counter: "fleet/quota/dinosaurs/acme/standard", max: 2 },
    { counter: "fleet/quota/dinosaurs/acme/standard/bob", max: 1 },
  ]);
});

test("a quota that no instance can use is a warning and not an error", () => {
  const offering = readOffering(sampleOffering());
  const given = organisation({
    quotas: [
      quota,
      { ...quota, offering: "birds" },
      { ...quota, type: "huge" },
      { ...quota, type: "eval" },
    ],
  });
  assert.deepEqual(organisationErrors(given), []);
  const warnings = quotaWarnings(readOrganisation(given), (name) =>
    name === "dinosaurs" ? offering : undefined,
  );
  assert.deepEqual(warnings, [
    "spec.quotas[1].offering: there is no Offering birds",
    "spec.quotas[2].type: the Offering dinosaurs has no type huge",
    "spec.quotas[3].type: instances of the type eval need no quota",
  ]);
});

test("a name that cannot be part of a namespace is refused", () => {
  const [error] = organisationErrors(organisation({}, "a".repeat(60)));
  assert.equal(error?.path, "metadata.name");
});
