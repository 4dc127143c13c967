import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { readOffering } from "../offering.ts";
import { readOrganisation } from "../organisations/organisation.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { sampleOffering } from "../sample-offering.ts";
import { instanceUses, quotaFor, typeFor } from "./quota.ts";

const offering = readOffering(sampleOffering());

function organisation(...quotas: readonly JsonObject[]): Organisation {
  const metadata = { name: "acme", uid: "u", generation: 1, creationTimestamp: "" };
  return readOrganisation({ apiVersion: "", kind: "", metadata, spec: { quotas } });
}

const standard = { offering: "dinosaurs", type: "standard", max: 3 };
const place = { provider: "aws", region: "us-east-1", quotaBackend: "list", isInternal: false };

test("the quota of the organisation comes before the quota of a user", () => {
  const both = organisation({ ...standard, user: "bob", max: 1 }, standard);
  assert.equal(quotaFor(both, "dinosaurs", "standard", "bob")?.max, 3);
  const listed = organisation({ ...standard, users: ["alice"] }, { ...standard, user: "bob" });
  assert.equal(quotaFor(listed, "dinosaurs", "standard", "alice")?.user, undefined);
  assert.equal(quotaFor(listed, "dinosaurs", "standard", "bob")?.user, "bob");
  assert.equal(quotaFor(listed, "dinosaurs", "standard", "carol"), undefined);
  assert.equal(quotaFor(listed, "others", "standard", "alice"), undefined);
});

test("an owner with a quota gets its type, and every other owner a type without one", () => {
  assert.equal(typeFor(offering, organisation(standard), "bob")?.name, "standard");
  assert.equal(typeFor(offering, organisation(), "bob")?.name, "eval");
  const types = [{ name: "standard", quota: "required" }];
  const strict = readOffering(sampleOffering({ types }));
  assert.equal(typeFor(strict, organisation(), "bob"), undefined);
});

test("an instance counts against offering, region and quota, each once", () => {
  const counters = (owner: string, given: Organisation, type: string): readonly string[] =>
    instanceUses(offering, given, { ...place, owner, type }).map(({ counter }) => counter);
  const shared = [
    "fleet/offering/dinosaurs",
    "fleet/region/dinosaurs/aws/us-east-1/standard",
    "fleet/region/dinosaurs/aws/us-east-1/*",
    "fleet/region/*/aws/us-east-1/standard",
    "fleet/region/*/aws/us-east-1/*",
  ];
  assert.deepEqual(counters("bob", organisation(standard), "standard"), [
    ...shared,
    "fleet/quota/dinosaurs/acme/standard",
  ]);
  assert.deepEqual(counters("bob", organisation({ ...standard, user: "bob" }), "standard"), [
    ...shared,
    "fleet/quota/dinosaurs/acme/standard/bob",
  ]);
  assert.equal(counters("bob", organisation(standard), "eval").length, 5);
});

test("a type of several units uses them of the region and one of the quota", () => {
  const types = [{ name: "standard", quota: "required", units: 4 }];
  const large = readOffering(sampleOffering({ types }));
  const uses = instanceUses(large, organisation(standard), {
    ...place,
    owner: "bob",
    type: "standard",
  });
  assert.deepEqual(
    uses.map(({ amount }) => amount),
    [1, 4, 4, 4, 4, 1],
  );
});

test("an instance of a probe counts against the capacity alone", () => {
  const given = { ...place, owner: "bob", type: "standard", isInternal: true };
  const uses = instanceUses(offering, organisation(standard), given);
  assert.deepEqual(
    uses.map(({ counter }) => counter),
    [
      "fleet/region/dinosaurs/aws/us-east-1/standard",
      "fleet/region/dinosaurs/aws/us-east-1/*",
      "fleet/region/*/aws/us-east-1/standard",
      "fleet/region/*/aws/us-east-1/*",
    ],
  );
});
