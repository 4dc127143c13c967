// The rules for instances, which hold for every writer.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { withoutKey } from "../../src/kernel/without-key.ts";
import { managedInstanceKey } from "../../src/modules/fleet/names.ts";
import { fleetVersion, instance, instanceAt, openMemoryFleet } from "./memory-fleet.ts";
import { offeringAt, organisationAt } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

const standard = { offering: "dinosaurs", type: "standard", max: 100 };

async function opened(
  offering: JsonObject = {},
  organisation: JsonObject = {},
): Promise<MemoryFleet> {
  const fleet = await openMemoryFleet();
  await fleet.offer(offering);
  await fleet.organise("acme", organisation);
  return fleet;
}

async function refused(write: Promise<unknown>, code: string, text = /./): Promise<void> {
  await assert.rejects(write, (error) => {
    assert.ok(isSetpointError(error), String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, text);
    return true;
  });
}

describe("a new instance", () => {
  it("gets an id, its owner, the default region, and the type of its quota", async () => {
    await using fleet = await opened({}, { quotas: [{ ...standard, users: ["alice"] }] });
    const { spec } = await fleet.as("alice").create(instance("rex"));
    const rest = withoutKey(objectAt(spec), "id");
    assert.match(textAt(spec, "id"), /^[a-z0-9]{20}$/);
    assert.deepEqual(rest, {
      owner: "alice",
      cloudProvider: "aws",
      region: "us-east-1",
      multiAz: false,
      type: "standard",
      quotaBackend: "list",
    });
    const other = await fleet.as("bob").create(instance("tri"));
    assert.equal(textAt(other.spec, "type"), "eval");
  });

  it("has a name of at most 32 characters that begins with a letter", async () => {
    await using fleet = await opened({}, { quotas: [standard] });
    const alice = fleet.as("alice");
    await refused(alice.create(instance("a".repeat(33))), "fleet.name_too_long");
    for (const name of ["Rex", "1rex", "rex-", "r.x", "re_x"]) {
      await refused(alice.create(instance(name)), "fleet.name_invalid", /metadata\.name/);
    }
    await alice.create(instance("a".repeat(32)));
  });

  it("names a provider, a region and zones that the Offering has", async () => {
    await using fleet = await opened({ requiresMultiAz: true }, { quotas: [standard] });
    const alice = fleet.as("alice");
    const create = (spec: JsonObject): Promise<unknown> => alice.create(instance("rex", spec));
    await refused(create({ cloudProvider: "azure" }), "fleet.provider_unknown", /aws/);
    await refused(create({ cloudProvider: "gcp" }), "fleet.provider_unknown");
    await refused(create({ region: "mars-1" }), "fleet.region_unknown", /us-east-1, eu-west-1/);
    await refused(create({ multiAz: false }), "fleet.multi_az_required");
    await fleet.memory.patch(organisationAt(), { spec: { quotas: [] } });
    await refused(create({ region: "eu-west-1" }), "fleet.type_unavailable");
    await create({});
  });

  it("is not created with fields that only administrators set", async () => {
    await using fleet = await opened();
    const fields: readonly [string, JsonObject[string]][] = [
      ["id", "x"],
      ["owner", "bob"],
      ["type", "eval"],
      ["versions", { product: "1" }],
      ["cluster", "east-1"],
      ["traits", ["a"]],
      ["expiresAt", "2030-01-01T00:00:00Z"],
      ["suspension", { reason: "x" }],
      ["isInternal", true],
    ];
    for (const [field, value] of fields) {
      const write = fleet.as("alice").create(instance("rex", { [field]: value }));
      await refused(write, "fleet.field", new RegExp(`spec\\.${field}: only administrators`));
    }
    const spec = Object.fromEntries(fields);
    const created = await fleet.memory.create(instance("rex", spec));
    assert.deepEqual({ ...objectAt(created.spec), ...spec }, created.spec);
  });

  it("needs an Organisation whose member creates it, and a member as its owner", async () => {
    await using fleet = await opened();
    await fleet.organise("other", { members: [{ user: "carol" }] });
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "org-ghost" } };
    await fleet.memory.create(namespace);
    await refused(
      fleet.memory.create(instance("rex", { owner: "alice" }, "ghost")),
      "fleet.field",
      /create the Organisation ghost first/,
    );
    await refused(
      fleet.memory.create({
        ...instance("rex"),
        metadata: { name: "rex", namespace: "default" },
      }),
      "fleet.field",
      /use the namespace org-ID/,
    );
    await refused(fleet.as("carol").create(instance("rex")), "fleet.not_owner");
    await refused(
      fleet.memory.create(instance("rex", { owner: "carol" })),
      "fleet.owner_invalid",
      /carol is not a member/,
    );
  });

  it("is refused in maintenance, to denied callers, and before terms are accepted", async () => {
    await using fleet = await opened({ terms: { version: "2", url: "https://terms.example" } });
    const alice = fleet.as("alice");
    const create = (): Promise<unknown> => alice.create(instance("rex"));
    await refused(create(), "fleet.terms_not_accepted", /terms 2 at https:\/\/terms\.example/);
    const accept = { user: "alice", offering: "dinosaurs", version: "1" };
    await fleet.memory.patch(organisationAt(), { spec: { termsAccepted: [accept] } });
    await refused(create(), "fleet.terms_not_accepted");
    const accepted = [accept, { ...accept, version: "2" }];
    await fleet.memory.patch(organisationAt(), { spec: { termsAccepted: accepted } });
    const access = (given: JsonObject): Promise<unknown> =>
      fleet.memory.patch(offeringAt(), { spec: { access: given } });
    await access({ deniedUsers: ["alice"] });
    await refused(create(), "fleet.denied");
    await access({ deniedUsers: [], isInMaintenance: true });
    await refused(create(), "fleet.maintenance");
    await access({ allowedOrganisations: ["acme"] });
    await create();
    await fleet.memory.patch(organisationAt(), { spec: { isDenied: true } });
    await refused(alice.create(instance("tri")), "fleet.denied");
  });

  it("of a type that is disabled, or without a type, is refused", async () => {
    const types = [
      { name: "standard", quota: "required" },
      { name: "eval", quota: "none", enabled: false },
    ];
    await using fleet = await opened({ types });
    await refused(fleet.as("alice").create(instance("rex")), "fleet.type_disabled");
    const regions = [{ id: "us-east-1", isDefault: true, types: [{ name: "standard" }] }];
    const providers = [{ id: "aws", isDefault: true, regions }];
    await fleet.memory.patch(offeringAt(), {
      spec: { types: [{ name: "standard", quota: "required" }], providers },
    });
    await refused(fleet.as("alice").create(instance("rex")), "fleet.quota_insufficient");
  });
});

describe("a change of an instance", () => {
  it("is for its owner and administrators of the organisation", async () => {
    const parameters = { type: "object", properties: { size: { type: "integer" } } };
    const names = { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" };
    await using fleet = await opened(
      { instances: { ...names, parameters } },
      {
        quotas: [standard],
        members: [{ user: "alice", isAdmin: true }, { user: "bob" }, { user: "carl" }],
      },
    );
    await fleet.as("bob").create(instance("rex", { parameters: { size: 1 } }));
    const change = (user: string, spec: JsonObject): Promise<unknown> =>
      fleet.as(user).patch(instanceAt("rex"), { spec });
    await refused(change("carl", { parameters: { size: 2 } }), "fleet.not_owner");
    await change("bob", { parameters: { size: 2 } });
    await change("alice", { parameters: { size: 3 } });
    await refused(change("bob", { traits: ["x"] }), "fleet.field", /spec\.traits/);
    await refused(change("bob", { owner: "eve" }), "fleet.owner_invalid");
    await change("bob", { owner: "carl" });
    await refused(change("bob", { owner: "bob" }), "fleet.not_owner");
    await refused(fleet.as("bob").remove(instanceAt("rex")), "fleet.not_owner");
    await refused(fleet.as("zed").remove(instanceAt("rex")), "fleet.not_owner");
    await fleet.as("carl").remove(instanceAt("rex"));
  });

  it("is refused to a denied owner and in maintenance, as over REST", async () => {
    await using fleet = await opened();
    await fleet.as("alice").create(instance("rex"));
    const change = (): Promise<unknown> =>
      fleet.as("alice").patch(instanceAt("rex"), { metadata: { labels: { team: "a" } } });
    const access = async (value: JsonObject | null): Promise<void> => {
      await fleet.memory.patch(offeringAt(), { spec: { access: value } });
    };
    await access({ deniedUsers: ["alice"] });
    await refused(change(), "fleet.denied");
    await refused(fleet.as("alice").remove(instanceAt("rex")), "fleet.denied");
    await access({ deniedUsers: [], isInMaintenance: true });
    await refused(change(), "fleet.maintenance");
    await refused(fleet.as("alice").remove(instanceAt("rex")), "fleet.maintenance");
    await fleet.memory.patch(instanceAt("rex"), { metadata: { labels: { team: "b" } } });
    await access(null);
    await change();
    await fleet.as("alice").remove(instanceAt("rex"));
  });

  it("gives no instance to a member without a quota for its type", async () => {
    await using fleet = await opened({}, { quotas: [{ ...standard, users: ["alice"], max: 1 }] });
    await fleet.as("alice").create(instance("rex"));
    const give = { spec: { owner: "bob" } };
    await refused(fleet.as("alice").patch(instanceAt("rex"), give), "fleet.owner_invalid", /quota/);
    await refused(fleet.as("alice").create(instance("tri")), "fleet.quota_exceeded");
    await fleet.memory.patch(instanceAt("rex"), give);
  });

  it("of the owner moves what it counts against", async () => {
    const quotas = [
      { ...standard, user: "alice", max: 2 },
      { ...standard, user: "bob", max: 1 },
    ];
    await using fleet = await opened({}, { quotas });
    for (const name of ["a1", "a2"]) await fleet.as("alice").create(instance(name));
    await refused(fleet.as("alice").create(instance("a3")), "fleet.quota_exceeded");
    await fleet.as("alice").patch(instanceAt("a1"), { spec: { owner: "bob" } });
    await refused(fleet.as("bob").create(instance("b1")), "fleet.quota_exceeded");
    await fleet.as("alice").create(instance("a3"));
    await refused(
      fleet.as("alice").patch(instanceAt("a2"), { spec: { owner: "bob" } }),
      "fleet.quota_exceeded",
    );
  });

  it("keeps what the service decided, also when a replacement leaves it out", async () => {
    await using fleet = await opened();
    const before = await fleet.as("alice").create(instance("rex"));
    const { spec } = await fleet.memory.patch(instanceAt("rex"), {
      spec: { id: null, region: null },
    });
    assert.deepEqual(spec, before.spec);
    await assert.rejects(fleet.memory.patch(instanceAt("rex"), { spec: { region: "eu-west-1" } }));
  });

  it("of the status is for this server alone", async () => {
    await using fleet = await opened();
    await fleet.as("alice").create(instance("rex"));
    const status = { ...instanceAt("rex"), subresource: "status" };
    await refused(
      fleet.as("alice").patch(status, { status: { phase: "ready" } }),
      "request.forbidden",
    );
  });
});

describe("limits with 50 concurrent writers", () => {
  const names = Array.from({ length: 50 }, (_, at) => `d${at}`);

  async function settled(
    writes: readonly Promise<unknown>[],
  ): Promise<{ readonly created: number; readonly codes: readonly string[] }> {
    const results = await Promise.allSettled(writes);
    const codes = results.flatMap((result) =>
      result.status === "rejected" && isSetpointError(result.reason) ? result.reason.code : [],
    );
    return { created: results.length - codes.length, codes: [...new Set(codes)] };
  }

  it("one of 50 creations of a name succeeds", async () => {
    await using fleet = await opened({}, { quotas: [standard] });
    const writes = names.map(() => fleet.as("alice").create(instance("rex")));
    assert.deepEqual(await settled(writes), { created: 1, codes: ["resource.already_exists"] });
  });

  it("one of 50 creations at one below the quota succeeds", async () => {
    await using fleet = await opened({}, { quotas: [{ ...standard, max: 4 }] });
    for (const name of ["a", "b", "c"]) await fleet.as("alice").create(instance(name));
    const writes = names.map((name) => fleet.as("bob").create(instance(name)));
    assert.deepEqual(await settled(writes), { created: 1, codes: ["fleet.quota_exceeded"] });
  });

  it("one of 50 evaluation instances of an owner is created", async () => {
    await using fleet = await opened();
    const writes = names.map((name) => fleet.as("alice").create(instance(name)));
    assert.deepEqual(await settled(writes), { created: 1, codes: ["fleet.capacity_reached"] });
    await fleet.as("bob").create(instance("other"));
  });

  it("a region takes as many of 50 instances as its clusters, for all types together", async () => {
    await using fleet = await opened({}, { quotas: [{ ...standard, users: ["alice"] }] });
    await fleet.memory.create({
      apiVersion: fleetVersion,
      kind: "DataPlaneCluster",
      metadata: { name: "east-1" },
      spec: {
        provider: "aws",
        region: "us-east-1",
        dns: "apps.e.example",
        capacity: { instances: 7 },
      },
    });
    await fleet.pass();
    await fleet.as("bob").create(instance("eval"));
    const writes = names.map((name) => fleet.as("alice").create(instance(name)));
    assert.deepEqual(await settled(writes), { created: 6, codes: ["fleet.capacity_reached"] });
  });

  it("an Offering has at most maxInstances instances", async () => {
    await using fleet = await opened({ maxInstances: 3 }, { quotas: [standard] });
    const writes = names.map((name) => fleet.as("alice").create(instance(name)));
    assert.deepEqual(await settled(writes), { created: 3, codes: ["fleet.capacity_reached"] });
  });
});

describe("records of the module", () => {
  it("are written by this server alone", async () => {
    await using fleet = await opened();
    const { namespace } = managedInstanceKey("east-1", "x");
    await fleet.memory.create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    const admin = fleet.as({ name: "root", groups: ["system:masters"], extra: {} });
    const managed = {
      apiVersion: fleetVersion,
      kind: "ManagedInstance",
      metadata: { name: "x", namespace },
      spec: {
        offering: "dinosaurs",
        instance: { namespace: "org-acme", name: "rex", uid: "u" },
        placementId: "p",
        type: "standard",
      },
    };
    await refused(admin.create(managed), "request.forbidden", /only this server writes its spec/);
    await fleet.memory.create(managed);
    const at = { apiVersion: fleetVersion, kind: "ManagedInstance", namespace, name: "x" };
    await admin.patch(at, { metadata: { labels: { a: "b" } } });
    await refused(admin.patch(at, { spec: { type: "eval" } }), "request.forbidden");
    await refused(admin.remove(at), "request.forbidden", /removed with its instance/);
    await refused(
      admin.create({
        apiVersion: fleetVersion,
        kind: "RegionCapacity",
        metadata: { name: "x" },
        spec: { offering: "dinosaurs", provider: "aws", region: "r", type: "t", max: 9 },
      }),
      "request.forbidden",
    );
  });
});
