import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../../kernel/resource.ts";
import { readOffering } from "../offering.ts";
import { readOrganisation } from "../organisations/organisation.ts";
import { sampleOffering } from "../sample-offering.ts";
import { adminSchema, presentForAdmin } from "./admin-view.ts";

const offering = readOffering(sampleOffering());
const instance: Resource = {
  apiVersion: "dinosaurs.example.dev/v1",
  kind: "Dinosaur",
  metadata: {
    name: "rex",
    namespace: "org-acme",
    uid: "u",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: {
    id: "d1",
    owner: "ann",
    account: "a-1",
    cloudProvider: "aws",
    region: "us-east-1",
    multiAz: true,
    type: "standard",
    quotaBackend: "list",
    versions: { product: "1.1.0" },
    cluster: "east-2",
    traits: ["canary"],
    rotation: 2,
  },
  status: {
    phase: "ready",
    host: "rex-d1.example.com",
    desiredVersions: { product: "1.0.0", operator: "2.0.0" },
    actualVersions: { product: "1.0.0", operator: "2.0.0" },
    upgrading: { product: true },
    placement: {
      cluster: "east-1",
      attempts: 1,
      why: [{ cluster: "east-1", reason: "least used" }],
    },
    routes: [{ name: "web", domain: "rex.example.com", router: "r.example.com" }],
  },
};
const organisation = readOrganisation({
  apiVersion: "fleet.setpoint.dev/v1",
  kind: "Organisation",
  metadata: { name: "acme", uid: "o", generation: 1, creationTimestamp: "" },
  spec: { accountNumber: "4711" },
});

describe("the view of an administrator", () => {
  const view = presentForAdmin(offering, { get: () => organisation }, instance);

  it("has the versions that are wanted, running and being replaced", () => {
    assert.equal(view["desired_dinosaur_version"], "1.1.0");
    assert.equal(view["actual_dinosaur_version"], "1.0.0");
    assert.equal(view["desired_dinosaur_operator_version"], "2.0.0");
    assert.equal(view["dinosaur_upgrading"], true);
    assert.equal(view["dinosaur_operator_upgrading"], false);
  });

  it("has whose the instance is, and where and why it is placed", () => {
    assert.equal(view["organisation_id"], "acme");
    assert.equal(view["owner_account_id"], "a-1");
    assert.equal(view["account_number"], "4711");
    assert.equal(view["cluster_id"], "east-1");
    assert.deepEqual(view["placement"], {
      assigned_cluster_id: "east-2",
      attempts: 1,
      why: [{ cluster_id: "east-1", reason: "least used" }],
    });
    assert.deepEqual(view["routes"], [{ domain: "rex.example.com", router: "r.example.com" }]);
    assert.equal(view["routes_created"], false);
  });

  it("shows the host before its routes exist, unlike the public view", () => {
    assert.equal(view["host"], "rex-d1.example.com");
  });

  it("does not fail without the Organisation", () => {
    const orphan = presentForAdmin(offering, { get: () => undefined }, instance);
    assert.equal(orphan["account_number"], "");
    assert.equal(orphan["organisation_id"], "acme");
  });

  it("has no field that its schema does not describe", () => {
    const described = Object.keys(adminSchema(offering)["properties"] as object);
    assert.deepEqual(
      Object.keys(view).filter((field) => !described.includes(field)),
      [],
    );
  });

  it("has the names of another product", () => {
    const instances = { ...offering.instances, kind: "PetBird", singular: "bird" };
    const birds = presentForAdmin({ ...offering, instances }, { get: () => undefined }, instance);
    assert.equal(birds["desired_bird_version"], "1.1.0");
  });
});
