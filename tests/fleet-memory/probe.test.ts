// Probes in a control plane in memory, with simulated clusters.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { deletedInstancesKind } from "../../src/modules/fleet/names.ts";
import { offeringCounter } from "../../src/modules/fleet/names.ts";
import { conditionOf, dinosaursKind, fleetVersion, instance } from "./memory-fleet.ts";
import { offeringAt, openMemoryFleet } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

const minuteMs = 60_000;
const probeAt = { apiVersion: fleetVersion, kind: "Probe", name: "all" };

async function opened(simulator: JsonObject = {}): Promise<MemoryFleet> {
  const fleet = await openMemoryFleet();
  await fleet.offer();
  await fleet.organise("probes", { members: [{ user: "prober" }] });
  for (const [name, region] of [
    ["east-1", "us-east-1"],
    ["west-1", "eu-west-1"],
  ] as const) {
    await fleet.memory.create({
      apiVersion: fleetVersion,
      kind: "DataPlaneCluster",
      metadata: { name },
      spec: {
        provider: "aws",
        region,
        dns: `apps.${name}.example.com`,
        executor: { kind: "simulator", simulator },
      },
    });
  }
  await fleet.pass(5_000);
  return fleet;
}

async function createProbe(fleet: MemoryFleet, spec: JsonObject = {}): Promise<void> {
  await fleet.memory.create({
    apiVersion: fleetVersion,
    kind: "Probe",
    metadata: { name: "all" },
    spec: { offering: "dinosaurs", organisation: "probes", owner: "prober", ...spec },
  });
}

async function regions(fleet: MemoryFleet): Promise<readonly JsonObject[]> {
  return objectsAt((await fleet.memory.read(probeAt))?.status, "regions");
}

it("instances are created, verified and deleted in every region, again and again", async () => {
  await using fleet = await opened({ installMs: 20_000, deleteMs: 5_000 });
  await createProbe(fleet);
  await fleet.pass(10_000);
  const names = (await fleet.list(dinosaursKind)).map(({ metadata }) => metadata.name);
  assert.equal(names.length, 2);
  for (const each of await fleet.list(dinosaursKind)) {
    assert.ok(isTrueAt(each.spec, "isInternal"));
    assert.equal(textAt(each.spec, "owner"), "prober");
  }
  await fleet.pass(minuteMs);
  assert.deepEqual(await fleet.list(dinosaursKind), []);
  await fleet.pass(21 * minuteMs);
  const found = await regions(fleet);
  assert.deepEqual(
    found.map((each) => [textAt(each, "region"), numberAt(each, "sequence")]),
    [
      ["us-east-1", 5],
      ["eu-west-1", 5],
    ],
  );
  assert.equal(conditionOf(await fleet.memory.read(probeAt), "Ready"), "True ProbeSucceeded");
});

it("a failing region is reported with its reason, and is probed again", async () => {
  await using fleet = await opened({ failures: [{ result: "error", message: "no disk" }] });
  await createProbe(fleet, { regions: [{ provider: "aws", region: "us-east-1" }] });
  await fleet.pass(6 * minuteMs);
  const [region] = await regions(fleet);
  assert.equal(numberAt(region, "failuresInRow"), 2);
  assert.match(textAt(region, "lastFailure"), /the instance failed: .*no disk/);
  assert.equal(conditionOf(await fleet.memory.read(probeAt), "Ready"), "False ProbeFailed");
  const simulator = { failures: null };
  const cluster = { apiVersion: fleetVersion, kind: "DataPlaneCluster", name: "east-1" };
  await fleet.memory.patch(cluster, { spec: { executor: { simulator } } });
  await fleet.pass(5 * minuteMs);
  assert.equal(conditionOf(await fleet.memory.read(probeAt), "Ready"), "True ProbeSucceeded");
});

it("an instance that is not ready in time is a failure and is deleted", async () => {
  await using fleet = await opened({ failures: [{ result: "silent" }] });
  const place = [{ provider: "aws", region: "us-east-1" }];
  await createProbe(fleet, { regions: place, timeoutSeconds: 60 });
  await fleet.pass(90_000);
  const [region] = await regions(fleet);
  assert.match(textAt(region, "lastFailure"), /not ready and verified after 60 s/);
  assert.equal(textAt(region, "state"), "deleting", "a silent agent deletes nothing");
  await fleet.pass(2 * minuteMs);
  const [later] = await regions(fleet);
  assert.match(textAt(later, "lastFailure"), /was not removed in time/);
});

it("instances of a Probe count against no limit and leave no record", async () => {
  await using fleet = await opened();
  await fleet.memory.patch(offeringAt(), { spec: { maxInstances: 1 } });
  await fleet.organise("acme", {
    quotas: [{ offering: "dinosaurs", type: "standard", max: 1 }],
  });
  await fleet.as("alice").create(instance("rex"));
  await createProbe(fleet, { intervalSeconds: 10 });
  await fleet.pass(5 * minuteMs);
  assert.equal(conditionOf(await fleet.memory.read(probeAt), "Ready"), "True ProbeSucceeded");
  const counter = await fleet.memory.store.counter(offeringCounter("dinosaurs"));
  assert.equal(counter.value, 1);
  assert.deepEqual(await fleet.list(deletedInstancesKind), []);
  const { status } = (await fleet.memory.read(offeringAt())) ?? {};
  assert.deepEqual(objectAt(status, "instances"), { ready: 1, failed: 0 });
});

it("a Probe whose process ended anywhere continues and creates no instance twice", async () => {
  await using fleet = await opened({ installMs: 3_000, deleteMs: 2_000 });
  await createProbe(fleet, { intervalSeconds: 30 });
  const seen = new Set<string>();
  for (let turn = 0; turn < 40; turn += 1) {
    await fleet.restart();
    await fleet.pass(500 + turn * 37);
    const all = await fleet.list(dinosaursKind);
    assert.ok(all.length <= 2, "one instance for each region");
    for (const { metadata } of all) seen.add(metadata.name);
  }
  const sequences = (await regions(fleet)).map((each) => numberAt(each, "sequence") ?? 0);
  assert.equal(
    seen.size,
    sequences.reduce((sum, each) => sum + each, 0),
  );
});

it("a Probe that is deleted first deletes its instances", async () => {
  await using fleet = await opened({ installMs: 60_000, deleteMs: 5_000 });
  await createProbe(fleet);
  await fleet.pass(10_000);
  assert.equal((await fleet.list(dinosaursKind)).length, 2);
  await fleet.memory.remove(probeAt);
  await fleet.pass(2_000);
  assert.notEqual(await fleet.memory.read(probeAt), undefined);
  await fleet.pass(30_000);
  assert.deepEqual(await fleet.list(dinosaursKind), []);
  assert.equal(await fleet.memory.read(probeAt), undefined);
});

it("members cannot mark an instance as internal", async () => {
  await using fleet = await opened();
  await fleet.organise("acme");
  const create = fleet.as("alice").create(instance("rex", { isInternal: true }));
  await assert.rejects(create, /spec\.isInternal: only administrators may set it/);
});

it("an invalid Probe is refused with the field and the fix", async () => {
  await using fleet = await opened();
  const cases: readonly (readonly [JsonObject, RegExp])[] = [
    [{ offering: "none" }, /spec\.offering: Invalid value: "none": is not an Offering/],
    [{ type: "huge" }, /spec\.type: Unsupported value: "huge"/],
    [{ regions: [{ provider: "aws", region: "x" }] }, /spec\.regions\[0\]: Unsupported value/],
    [{ organisation: "none" }, /spec\.organisation: .* is not an Organisation: create it/],
    [{ owner: "mallory" }, /spec\.owner: .* is not a member of the Organisation probes: add it/],
    [{ verify: { url: "ftp://${host}" } }, /spec\.verify\.url: .* must be an http or https URL/],
    [{ intervalSeconds: 1 }, /spec\.intervalSeconds: .*greater than or equal to 10/],
  ];
  for (const [spec, expected] of cases) {
    await assert.rejects(createProbe(fleet, spec), (error) => {
      assert.ok(isSetpointError(error));
      assert.match(error.message, expected);
      return true;
    });
  }
});
