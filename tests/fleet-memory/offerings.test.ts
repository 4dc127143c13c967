// Offerings: the kind of the instances, the bounds of regions, and what is refused.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { conditionOf, dinosaursKind, fleetVersion } from "./memory-fleet.ts";
import { instance, instanceAt, offeringAt, openMemoryFleet } from "./memory-fleet.ts";

const capacities = "regioncapacities.fleet.setpoint.dev";
const definitions = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

function cluster(name: string, instances: number): JsonObject {
  return {
    apiVersion: fleetVersion,
    kind: "DataPlaneCluster",
    metadata: { name },
    spec: {
      provider: "aws",
      region: "us-east-1",
      dns: `apps.${name}.example.com`,
      capacity: { instances },
    },
  };
}
function refusedWith(pattern: RegExp): (error: unknown) => boolean {
  return (error) => isSetpointError(error) && pattern.test(error.message);
}

function maxima(records: readonly Resource[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    records.map(({ spec }) => [
      `${textAt(spec, "region")} ${textAt(spec, "type")}`,
      valueAt(spec, "max"),
    ]),
  );
}

it("an Offering installs the kind of its instances, and its removal removes the kind", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const offering = await fleet.memory.read(offeringAt());
  assert.equal(conditionOf(offering, "Ready"), "True Available");
  assert.equal(textAt(offering?.status, "endpoints", "public"), "/api/dinosaurs_mgmt/v1");
  assert.ok((await fleet.memory.read({ ...definitions, name: dinosaursKind })) !== undefined);
  assert.equal(await fleet.memory.remove(offeringAt()), false);
  await fleet.pass(30_000);
  assert.equal(await fleet.memory.read(offeringAt()), undefined);
  assert.equal(await fleet.memory.read({ ...definitions, name: dinosaursKind }), undefined);
  await fleet.offer();
  assert.equal(conditionOf(await fleet.memory.read(offeringAt()), "Ready"), "True Available");
  assert.deepEqual(fleet.lines, []);
});

it("the capacity of a region follows the clusters and the limits of the Offering", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  assert.deepEqual(maxima(await fleet.list(capacities)), { "eu-west-1 standard": 5 });
  await fleet.memory.create(cluster("east-1", 10));
  await fleet.memory.create(cluster("east-2", 5));
  await fleet.pass();
  const bounded = { "us-east-1 standard": 15, "us-east-1 eval": 15, "us-east-1 *": 15 };
  assert.deepEqual(maxima(await fleet.list(capacities)), { "eu-west-1 standard": 5, ...bounded });
  const at = { apiVersion: fleetVersion, kind: "DataPlaneCluster", name: "east-2" };
  await fleet.memory.patch(at, { spec: { capacity: { instances: -1 } } });
  await fleet.pass();
  assert.deepEqual(maxima(await fleet.list(capacities)), { "eu-west-1 standard": 5 });
});

it("Offerings that share clusters accept together what the clusters take", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const { apiVersion, kind, spec } = sampleOffering();
  const instances = { group: "birds.example.dev", kind: "Bird", plural: "birds" };
  const birds = { apiVersion, kind, metadata: { name: "birds" } };
  await fleet.memory.create({ ...birds, spec: { ...objectAt(spec), instances } });
  const type = "standard";
  const quotas = ["dinosaurs", "birds"].map((offering) => ({ offering, type, max: 100 }));
  await fleet.organise("acme", { quotas });
  await fleet.memory.create(cluster("east-1", 5));
  await fleet.pass();
  const shared = (await fleet.list(capacities)).filter(
    (each) => textAt(each, "spec", "offering") === "",
  );
  assert.deepEqual(maxima(shared), {
    "us-east-1 standard": 5,
    "us-east-1 eval": 5,
    "us-east-1 *": 5,
  });
  const all = Array.from({ length: 10 }, (_, at) => `d${at}`).flatMap((name) => [
    instance(name),
    { ...instance(name), ...birdKind },
  ]);
  const results = await Promise.allSettled(all.map((each) => fleet.as("alice").create(each)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 5);
  for (const result of results) {
    const isFull = (error: unknown): boolean => isSetpointError(error, "fleet.capacity_reached");
    if (result.status === "rejected") assert.ok(isFull(result.reason));
  }
  for (const each of await fleet.list("birds.birds.example.dev")) {
    await fleet.memory.remove({ ...instanceAt(each.metadata.name), ...birdKind });
  }
  await fleet.pass(30_000);
  await fleet.memory.remove({ ...offeringAt(), name: "birds" });
  await fleet.pass(30_000);
  const left = (await fleet.list(capacities)).map((each) => textAt(each, "spec", "offering"));
  assert.deepEqual([...new Set(left)], ["dinosaurs"]);
});

const birdKind = { apiVersion: "birds.example.dev/v1", kind: "Bird" };

it("a plural that another Offering or another kind has is refused", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  const { apiVersion, kind, spec } = sampleOffering();
  const other = (names: JsonObject): JsonObject => ({
    apiVersion,
    kind,
    metadata: { name: "others" },
    spec: { ...objectAt(spec), instances: { ...objectAt(spec, "instances"), ...names } },
  });
  await assert.rejects(
    fleet.memory.create(other({ group: "others.example.dev" })),
    refusedWith(/spec\.instances\.plural: .*the Offering dinosaurs has this plural/),
  );
  await assert.rejects(
    fleet.memory.create(other({ plural: "others" })),
    refusedWith(/spec\.instances\.kind: .*the kind dinosaurs\.dinosaurs\.example\.dev has this/),
  );
  const group = "tests.example.dev";
  await fleet.memory.create({
    ...definitions,
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
        },
      ],
    },
  });
  await assert.rejects(
    fleet.memory.create(other({ group, plural: "things", kind: "Item" })),
    refusedWith(/the kind things\.tests\.example\.dev exists and does not belong to this Offering/),
  );
});

it("an invalid Offering is refused with all its fields, and changes nothing", async () => {
  await using fleet = await openMemoryFleet();
  await assert.rejects(
    fleet.offer({
      providers: [{ id: "aws", regions: [{ id: "r", isDefault: true, types: [{ name: "x" }] }] }],
      terms: { version: "1", url: "terms" },
    }),
    refusedWith(/spec\.providers: .*exactly one provider.*spec\.providers\[0\].*spec\.terms\.url/),
  );
  assert.equal(await fleet.memory.read(offeringAt()), undefined);
});

const names = { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" };
const size = { type: "object", properties: { size: { type: "integer" } } };

it("a schema that does not accept the parameters of an instance is refused", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer({ instances: { ...names, parameters: size } });
  await fleet.organise();
  await fleet.as("alice").create(instance("rex", { parameters: { size: 5 } }));
  const change = async (parameters: JsonObject): Promise<void> => {
    await fleet.memory.patch(offeringAt(), { spec: { instances: { parameters } } });
    await fleet.pass();
  };
  await assert.rejects(
    change({ properties: { size: { maximum: 3 } } }),
    refusedWith(/spec\.instances\.parameters: .*org-acme\/rex \(spec\.parameters\.size/),
  );
  assert.equal(conditionOf(await fleet.memory.read(offeringAt()), "Ready"), "True Available");
  await change({ properties: { size: { maximum: 9 }, name: { type: "string" } } });
  const parameters = { parameters: { size: 9, name: "x" } };
  await fleet.as("alice").patch(instanceAt("rex"), { spec: parameters });
  await assert.rejects(
    fleet.as("alice").patch(instanceAt("rex"), { spec: { parameters: { size: 10 } } }),
    refusedWith(/spec\.parameters\.size/),
  );
});

it("an Offering with instances cannot be deleted, and the refusal states how many", async () => {
  await using fleet = await openMemoryFleet();
  await fleet.offer();
  await fleet.organise();
  await fleet.as("alice").create(instance("rex"));
  await fleet.as("bob").create(instance("tri"));
  await assert.rejects(
    fleet.memory.remove(offeringAt()),
    refusedWith(/it has 2 instances: delete them first/),
  );
  await fleet.pass(5_000);
  const { status } = (await fleet.memory.read(offeringAt())) ?? {};
  assert.deepEqual(valueAt(status, "instances"), { accepted: 2, ready: 0, failed: 0 });
  for (const name of ["rex", "tri"]) await fleet.memory.remove(instanceAt(name));
  await fleet.pass(10_000);
  await fleet.memory.remove(offeringAt());
  await fleet.pass(30_000);
  assert.equal(await fleet.memory.read(offeringAt()), undefined);
});
