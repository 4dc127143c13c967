import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { phases } from "../lifecycle/phases.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { presentInstance } from "./presenter.ts";
import { shownPhase } from "./shown-phase.ts";

const offering = readOffering(sampleOffering());

function instance(spec: JsonObject = {}, status?: JsonObject, metadata: JsonObject = {}): Resource {
  return {
    apiVersion: "dinosaurs.example.dev/v1",
    kind: "Dinosaur",
    metadata: {
      name: "rex",
      namespace: "org-acme",
      uid: "u1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    spec: {
      id: "i1",
      owner: "ann",
      cloudProvider: "aws",
      region: "us-east-1",
      multiAz: true,
      type: "standard",
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

describe("an instance on the wire", () => {
  it("is accepted before its reconciler has seen it", () => {
    assert.deepEqual(presentInstance(offering, instance()), {
      id: "i1",
      kind: "DinosaurRequest",
      href: "/api/dinosaurs_mgmt/v1/dinosaurs/i1",
      status: "accepted",
      cloud_provider: "aws",
      multi_az: true,
      region: "us-east-1",
      owner: "ann",
      name: "rex",
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
      instance_type: "standard",
    });
  });

  it("shows its host from the moment when its routes exist", () => {
    const status = { phase: "provisioning", host: "rex.example.com" };
    assert.equal(presentInstance(offering, instance({}, status))["host"], undefined);
    const routed = { ...status, phase: "ready", routesCreated: true };
    assert.equal(presentInstance(offering, instance({}, routed))["host"], "rex.example.com");
  });

  it("shows what the status says", () => {
    const status = {
      phase: "failed",
      updatedAt: "2026-01-02T00:00:00Z",
      failedReason: "no room",
      actualVersions: { product: "1.2.3", operator: "9" },
      placement: { cluster: "secret-cluster" },
      namespace: "dinosaur-i1",
    };
    const spec = { parameters: { species: "triceratops" }, expiresAt: "2026-02-01T00:00:00Z" };
    const shown = presentInstance(offering, instance(spec, status));
    assert.equal(shown["status"], "failed");
    assert.equal(shown["updated_at"], "2026-01-02T00:00:00Z");
    assert.equal(shown["failed_reason"], "no room");
    assert.equal(shown["version"], "1.2.3");
    assert.equal(shown["expires_at"], "2026-02-01T00:00:00Z");
    assert.deepEqual(shown["parameters"], { species: "triceratops" });
    assert.doesNotMatch(JSON.stringify(shown), /secret-cluster|dinosaur-i1/);
  });

  it("is in deprovision from the request of its deletion until it is being deleted", () => {
    const deleted = { deletionTimestamp: "2026-01-03T00:00:00Z" };
    for (const phase of phases) {
      const shown = presentInstance(offering, instance({}, { phase }, deleted));
      assert.equal(shown["status"], phase === "deleting" ? "deleting" : "deprovision");
      assert.equal(presentInstance(offering, instance({}, { phase }))["status"], phase);
    }
    assert.equal(shownPhase("unheard-of", false), "accepted");
  });
});
