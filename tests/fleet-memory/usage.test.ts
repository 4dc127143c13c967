// The use of instances, over restarts, deletions, restores and the compaction of the log.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { PageMemory } from "../../src/contract/page-memory.ts";
import { systemCaller } from "../../src/intents/bootstrap.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { restoreInstance } from "../../src/modules/fleet/lifecycle/restore.ts";
import { readOffering } from "../../src/modules/fleet/offering.ts";
import type { Offering } from "../../src/modules/fleet/offering.ts";
import { readUses } from "../../src/modules/fleet/usage/read-uses.ts";
import { usageLines } from "../../src/modules/fleet/usage/usage-report.ts";
import { fleetVersion, instance, instanceAt, offeringAt } from "./memory-fleet.ts";
import { openMemoryFleet } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

const hourMs = 3_600_000;
const pages: PageMemory = {
  before: () => undefined,
  after: () => undefined,
  drop: () => undefined,
};

async function opened(): Promise<MemoryFleet> {
  const fleet = await openMemoryFleet();
  await fleet.offer();
  const quotas = [{ offering: "dinosaurs", type: "standard", max: 100 }];
  await fleet.organise("acme", { quotas });
  await fleet.memory.create({
    apiVersion: fleetVersion,
    kind: "DataPlaneCluster",
    metadata: { name: "east-1" },
    spec: {
      provider: "aws",
      region: "us-east-1",
      dns: "apps.east-1.example.com",
      executor: { kind: "simulator" },
    },
  });
  await fleet.pass(5_000);
  return fleet;
}

async function offeringOf(fleet: MemoryFleet): Promise<Offering> {
  const found = await fleet.memory.read(offeringAt());
  assert.ok(found !== undefined);
  return readOffering(found);
}

/** Seconds of use of each instance since `fromMs`. */
async function used(fleet: MemoryFleet, fromMs: number): Promise<Readonly<Record<string, number>>> {
  const { store, surroundings } = fleet.memory;
  const offering = await offeringOf(fleet);
  const { signal } = new AbortController();
  const uses = await readUses({ store, offering, pages, signal });
  const period = { fromMs, toMs: surroundings.clock.nowMs() };
  const lines = usageLines(uses, { offering, period, by: "instance" });
  return Object.fromEntries(lines.map((line) => [`${line["name"]}`, Number(line["seconds"])]));
}

function isNear(actual: number | undefined, expected: number): void {
  const text = `${actual} is not about ${expected}`;
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= 30, text);
}

it("use is exact over restarts, deletions and the compaction of the log", async () => {
  await using fleet = await opened();
  const { clock } = fleet.memory.surroundings;
  const startMs = clock.nowMs();
  await fleet.as("alice").create(instance("rex"));
  await fleet.as("bob").create(instance("tri"));
  await fleet.pass(hourMs);
  await fleet.restart();
  await fleet.as("bob").remove(instanceAt("tri"));
  await fleet.pass(hourMs);
  const before = await used(fleet, startMs);
  isNear(before["rex"], 7_200);
  isNear(before["tri"], 3_600);
  const { revision } = await fleet.memory.store.head();
  await fleet.memory.store.compact(revision);
  assert.deepEqual(await used(fleet, startMs), before);
  await fleet.pass(hourMs);
  const later = await used(fleet, startMs);
  isNear(later["rex"], 10_800);
  assert.equal(later["tri"], before["tri"]);
});

it("a restored instance keeps the use of before its deletion", async () => {
  await using fleet = await opened();
  const { clock } = fleet.memory.surroundings;
  const startMs = clock.nowMs();
  await fleet.as("alice").create(instance("rex"));
  await fleet.pass(hourMs);
  const id = textAt((await fleet.memory.read(instanceAt("rex")))?.spec, "id");
  await fleet.as("alice").remove(instanceAt("rex"));
  await fleet.pass(2 * hourMs);
  await restoreInstance(fleet.memory.plane.intents, {
    caller: systemCaller,
    offering: await offeringOf(fleet),
    namespace: "org-acme",
    id,
  });
  await fleet.pass(hourMs);
  isNear((await used(fleet, startMs))["rex"], 7_200);
});

it("an instance that is not ready or internal has no use", async () => {
  await using fleet = await opened();
  const startMs = fleet.memory.surroundings.clock.nowMs();
  const parts = { owner: "alice", type: "standard", isInternal: true };
  await fleet.memory.create(instance("probe", parts));
  await fleet
    .as("alice")
    .create(instance("west", { region: "eu-west-1" }))
    .catch(() => undefined);
  await fleet.pass(hourMs);
  assert.deepEqual(await used(fleet, startMs), {});
});
