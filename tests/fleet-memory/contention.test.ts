// Another writer changes a resource between the read and the commit of a run. The run repeats its
// change on the newer document, and does not fail.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MemoryPlane, Place } from "../../src/app/memory-plane.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { equalJson } from "../../src/kernel/json.ts";
import { isTrueAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { clustersKind, deletedInstancesKind, rolloutsKind } from "../../src/modules/fleet/names.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import { dinosaursKind, fleetVersion, instance, instanceAt } from "./memory-fleet.ts";
import { openMemoryFleet } from "./memory-fleet.ts";
import { openRolloutPlane, rolloutPlace } from "./rollout-plane.ts";

const hourMs = 3_600_000;

/**
 * Each resource of the kind is changed once, before the next commit of a run that changes its spec
 * or annotations. Returns the names.
 */
function contend(
  memory: MemoryPlane,
  kind: string,
  at: (name: string) => Place,
): ReadonlySet<string> {
  const { store } = memory;
  const commit = store.commit.bind(store);
  const changed = new Set<string>();
  store.commit = async (writes, options) => {
    for (const write of writes) {
      if (write.kind !== "put" || write.when.kind !== "revision") continue;
      if (write.key.kind !== kind) continue;
      const { name } = write.key;
      const old = await memory.read(at(name));
      const next = decodeDocument(write.draft.body, write.when.revision);
      const isRun = write.cause.actor.includes("engine");
      if (!isRun || old === undefined || isSame(old, next) || changed.has(name)) continue;
      changed.add(name);
      await memory.patch(at(name), { metadata: { labels: { changed: "meanwhile" } } });
    }
    return await commit(writes, options);
  };
  return changed;
}

function isSame(one: Resource, other: Resource): boolean {
  const shown = ({ spec, metadata }: Resource): Parameters<typeof equalJson>[0] => ({
    spec: spec ?? null,
    annotations: metadata.annotations ?? null,
  });
  return equalJson(shown(one), shown(other));
}

function failures(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /modified|conflict/i.test(line));
}

describe("a run whose write loses a race", () => {
  it("changes the versions of an instance, and ends its Rollout", async () => {
    await using plane = await openRolloutPlane();
    await plane.createInstance("rex");
    const instances = contend(plane.memory, dinosaursKind, instanceAt);
    const rollouts = contend(plane.memory, rolloutsKind, rolloutPlace);
    await plane.createRollout("two", { waves: [{ percent: 100 }] });
    await plane.pass(1_000);
    assert.deepEqual([...instances], ["rex"]);
    assert.deepEqual(await plane.updating(), ["rex"]);
    await plane.settle("rex");
    await plane.pass(1_000);
    assert.deepEqual([...rollouts], ["two"]);
    assert.deepEqual(failures(plane.lines), []);
  });

  it("drains a cluster that a ScalingRule created", async () => {
    await using fleet = await openMemoryFleet();
    await fleet.offer();
    const quotas = [{ offering: "dinosaurs", type: "standard", max: 100 }];
    await fleet.organise("acme", { quotas });
    const template = {
      dns: "apps.${name}.example.com",
      capacity: { instances: 2 },
      executor: { kind: "simulator" },
    };
    const spec = { offering: "dinosaurs", provider: "aws", region: "us-east-1", template };
    await fleet.memory.create({
      apiVersion: fleetVersion,
      kind: "ScalingRule",
      metadata: { name: "east" },
      spec: {
        ...spec,
        slack: { units: 1 },
        maxClusters: 3,
        dryRun: false,
        removeAfterSeconds: 600,
      },
    });
    await fleet.pass(60_000);
    for (const name of ["a", "b", "c", "d"]) {
      await fleet.as("alice").create(instance(name));
      await fleet.pass(60_000);
    }
    const contended = contend(fleet.memory, clustersKind, (name) => ({
      apiVersion: fleetVersion,
      kind: "DataPlaneCluster",
      name,
    }));
    for (const name of ["a", "b", "c", "d"]) await fleet.as("alice").remove(instanceAt(name));
    await fleet.pass(2 * hourMs);
    assert.ok(contended.size > 0);
    assert.deepEqual(failures(fleet.lines), []);
  });

  it("completes and later stops counting the record of an automatic deletion", async () => {
    const suspension = { expiryGrace: 60 };
    await using life = await openLifecycle({ offering: { suspension } });
    await life.create();
    await life.settle();
    const contended = contend(life.fleet.memory, deletedInstancesKind, (name) => ({
      apiVersion: fleetVersion,
      kind: "DeletedInstance",
      namespace: "org-acme",
      name,
    }));
    const expiresAt = new Date(life.fleet.memory.surroundings.clock.nowMs()).toISOString();
    await life.fleet.memory.patch(instanceAt("rex"), { spec: { expiresAt } });
    for (let turn = 0; turn < 4; turn += 1) {
      await life.settle();
      await life.wait(hourMs);
    }
    assert.equal(await life.read(), undefined);
    const [record] = await life.fleet.list(deletedInstancesKind);
    assert.equal(contended.size, 1);
    assert.equal(isTrueAt(record?.spec, "isAutomatic"), false);
    assert.deepEqual(failures(life.fleet.lines), []);
  });
});
