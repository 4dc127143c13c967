// ScalingRules in a control plane in memory, with simulated clusters.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { isTrueAt, numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { clustersKind } from "../../src/modules/fleet/names.ts";
import { fleetVersion, instance, instanceAt, openMemoryFleet } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

const minuteMs = 60_000;
const template = {
  dns: "apps.${name}.example.com",
  capacity: { instances: 2 },
  executor: { kind: "simulator" },
};

async function opened(): Promise<MemoryFleet> {
  const fleet = await openMemoryFleet();
  await fleet.offer();
  const quotas = [{ offering: "dinosaurs", type: "standard", max: 100 }];
  await fleet.organise("acme", { members: [{ user: "alice" }], quotas });
  return fleet;
}

async function createRule(
  fleet: MemoryFleet,
  spec: JsonObject = {},
  name = "east",
): Promise<Resource> {
  return await fleet.memory.create({
    apiVersion: fleetVersion,
    kind: "ScalingRule",
    metadata: { name },
    spec: {
      offering: "dinosaurs",
      provider: "aws",
      region: "us-east-1",
      slack: { units: 1 },
      maxClusters: 3,
      template,
      ...spec,
    },
  });
}

async function statusOf(fleet: MemoryFleet, name = "east"): Promise<JsonObject> {
  const place = { apiVersion: fleetVersion, kind: "ScalingRule", name };
  return objectAt((await fleet.memory.read(place))?.status);
}

async function clusters(fleet: MemoryFleet): Promise<readonly string[]> {
  return (await fleet.list(clustersKind)).map(({ metadata }) => metadata.name);
}

async function createInstances(fleet: MemoryFleet, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 1) {
    await fleet.as("alice").create(instance(`rex-${at}`));
    await fleet.pass(10_000);
  }
}

it("a dry run, the default, reports the decision once and changes nothing", async () => {
  await using fleet = await opened();
  await createRule(fleet);
  await fleet.pass(30 * minuteMs);
  assert.deepEqual(await clusters(fleet), []);
  const status = await statusOf(fleet);
  const { action, message, isDryRun } = objectAt(status, "decision");
  assert.deepEqual([action, isDryRun], ["create", true]);
  assert.equal(message, "0 units are free or coming, 1 are wanted");
  const events = await fleet.list("events");
  const own = events.filter((event) => textAt(event, "reason") === "ClusterNeeded");
  assert.equal(own.length, 1);
  assert.match(textAt(own[0], "message"), /^dry run: create: 0 units are free or coming/);
});

it("clusters are created before the region is full, up to its limit", async () => {
  await using fleet = await opened();
  await createRule(fleet, { dryRun: false });
  await fleet.pass(10_000);
  assert.deepEqual(await clusters(fleet), ["east-1"]);
  await createInstances(fleet, 0, 2);
  assert.deepEqual(await clusters(fleet), ["east-1", "east-2"]);
  const place = { apiVersion: fleetVersion, kind: "DataPlaneCluster", name: "east-2" };
  const { spec } = (await fleet.memory.read(place)) ?? {};
  assert.equal(textAt(spec, "dns"), "apps.east-2.example.com");
  await createInstances(fleet, 2, 6);
  assert.deepEqual(await clusters(fleet), ["east-1", "east-2", "east-3"]);
  for (let at = 0; at < 6; at += 1) {
    const { status } = (await fleet.memory.read(instanceAt(`rex-${at}`))) ?? {};
    assert.equal(textAt(status, "phase"), "ready", `rex-${at}`);
  }
  assert.equal(numberAt(await statusOf(fleet), "free"), 0);
});

it("an empty cluster is drained and removed after its time, and never the last", async () => {
  await using fleet = await opened();
  await createRule(fleet, { dryRun: false, removeAfterSeconds: 600 });
  await fleet.pass(10_000);
  await createInstances(fleet, 0, 3);
  assert.deepEqual(await clusters(fleet), ["east-1", "east-2"]);
  for (let at = 0; at < 3; at += 1) await fleet.as("alice").remove(instanceAt(`rex-${at}`));
  await fleet.pass(5 * minuteMs);
  assert.deepEqual(await clusters(fleet), ["east-1", "east-2"]);
  await fleet.pass(10 * minuteMs);
  assert.deepEqual(await clusters(fleet), ["east-1"]);
  await fleet.pass(60 * minuteMs);
  assert.deepEqual(await clusters(fleet), ["east-1"]);
});

it("a cluster that is needed again is not removed", async () => {
  await using fleet = await opened();
  await createRule(fleet, { dryRun: false, removeAfterSeconds: 600 });
  await fleet.pass(10_000);
  await createInstances(fleet, 0, 3);
  for (let at = 0; at < 3; at += 1) await fleet.as("alice").remove(instanceAt(`rex-${at}`));
  await fleet.pass(8 * minuteMs);
  await createInstances(fleet, 3, 5);
  await fleet.pass(60 * minuteMs);
  assert.deepEqual(await clusters(fleet), ["east-1", "east-2"]);
  assert.equal(isTrueAt(await statusOf(fleet), "surplus"), false);
});

it("a process that ends anywhere leads to no second cluster", async () => {
  await using fleet = await opened();
  await createRule(fleet, { dryRun: false });
  for (let turn = 0; turn < 10; turn += 1) {
    await fleet.restart();
    await fleet.pass(turn * 20);
  }
  await fleet.pass(10_000);
  assert.equal((await clusters(fleet)).length, 1);
});

it("a name that another author uses is skipped", async () => {
  await using fleet = await opened();
  await fleet.memory.create({
    apiVersion: fleetVersion,
    kind: "DataPlaneCluster",
    metadata: { name: "east-1" },
    spec: { ...template, dns: "apps.other.example.com", provider: "aws", region: "eu-west-1" },
  });
  await createRule(fleet, { dryRun: false });
  await fleet.pass(10_000);
  assert.deepEqual(await clusters(fleet), ["east-1", "east-2"]);
});

it("one rule is about a region and type", async () => {
  await using fleet = await opened();
  await createRule(fleet);
  await createRule(fleet, { type: "standard" }, "standard");
  await assert.rejects(
    createRule(fleet, {}, "second"),
    /spec\.region: the ScalingRule east is about the same region and type: change or delete it/,
  );
});

it("an invalid rule is refused with the field and the fix", async () => {
  await using fleet = await opened();
  const cases: readonly (readonly [JsonObject, RegExp])[] = [
    [{ offering: "none" }, /spec\.offering: Invalid value: "none": is not an Offering/],
    [{ provider: "azure" }, /spec\.provider: Unsupported value: "azure": supported values/],
    [{ region: "mars" }, /spec\.region: Unsupported value: "mars"/],
    [{ type: "huge" }, /spec\.type: Unsupported value: "huge"/],
    [{ slack: {} }, /spec\.slack: Required value: give either units or percent/],
    [{ slack: { units: 1, percent: 1 } }, /spec\.slack: Required value: give either/],
    [{ minClusters: 9 }, /spec\.minClusters: .* must be at most spec\.maxClusters, which is 3/],
    [{ template: { ...template, dns: "a.example.com" } }, /spec\.template\.dns: .*\$\{name\}/],
    [{ template: { ...template, dns: "${name}!" } }, /spec\.template\.dns: .* a domain name/],
    [{ template: { ...template, capacity: {} } }, /spec\.template\.capacity: .* never full/],
    [{ template: { ...template, region: "x" } }, /unknown field "spec\.template\.region"/],
  ];
  for (const [spec, expected] of cases) {
    await assert.rejects(createRule(fleet, spec), (error) => {
      assert.ok(isSetpointError(error));
      assert.match(error.message, expected);
      return true;
    });
  }
  await assert.rejects(createRule(fleet, {}, "a".repeat(41)), /metadata\.name: .* at most 40/);
});
