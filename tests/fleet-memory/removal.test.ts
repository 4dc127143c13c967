// The end of an instance: deletion at every phase, expiry, denied owners, records and restore.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCaller } from "../../src/intents/bootstrap.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { restoreInstance } from "../../src/modules/fleet/lifecycle/restore.ts";
import { offeringCounter, organisationCounter } from "../../src/modules/fleet/names.ts";
import {
  deletedInstancesKind,
  forceDeleteAnnotation,
  idName,
} from "../../src/modules/fleet/names.ts";
import { readOffering } from "../../src/modules/fleet/offering.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { conditionOf, instance, instanceAt, offeringAt, organisationAt } from "./memory-fleet.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };
const hourMs = 3_600_000;

const sso = {
  name: "sso",
  template: { ...configMap, data: { host: "${instance.status.host}" } },
  readyWhen: "true",
};

async function remove(life: LifecycleFleet, name = "rex"): Promise<void> {
  await life.fleet.as("alice").remove(instanceAt(name));
}

/** Nothing of the instance is left but its record. */
async function assertRemoved(life: LifecycleFleet, name = "rex"): Promise<void> {
  assert.equal(await life.read(name), undefined);
  assert.deepEqual(await life.managed(), []);
  const { store } = life.fleet.memory;
  assert.equal(
    (await store.counter(organisationCounter("dinosaurs", "acme", "standard"))).value,
    0,
  );
  assert.equal((await store.counter(offeringCounter("dinosaurs"))).value, 0);
  const children = (await life.fleet.list("configmaps")).filter(
    ({ metadata }) => metadata.namespace === "org-acme",
  );
  assert.deepEqual(children, []);
  assert.deepEqual(await store.verify(), []);
}

describe("a deletion", () => {
  it("waits for the agent, removes the preparations, and leaves a record", async () => {
    await using life = await openLifecycle({ offering: { preparations: [sso] } });
    await life.create();
    await life.settle();
    const id = textAt((await life.read())?.spec, "id");
    await remove(life);
    await life.fleet.pass();
    assert.equal(await life.phase(), "deprovision");
    await remove(life);
    await life.fleet.pass(60_000);
    assert.equal(await life.phase(), "deprovision", "the agent has not answered");
    await life.settle();
    await life.fleet.pass(10_000);
    await assertRemoved(life);
    const [record] = await life.fleet.list(deletedInstancesKind);
    assert.equal(record?.metadata.name, id);
    assert.equal(textAt(record?.spec, "name"), "rex");
    assert.equal(textAt(record?.spec, "owner"), "alice");
    assert.equal(await life.fleet.memory.store.nameHolder(idName("dinosaurs", id)), undefined);
    await life.create();
  });

  it("never leaves what was prepared for the instance", async () => {
    await using life = await openLifecycle({ offering: { preparations: [sso] } });
    await life.create();
    await life.settle();
    const orphan = { propagationPolicy: "Orphan" };
    await assert.rejects(
      life.fleet.as("alice").remove(instanceAt("rex"), orphan),
      (error) => isSetpointError(error, "fleet.validation") && /Background/.test(error.message),
    );
    assert.equal(await life.phase(), "ready");
  });

  it("needs no agent before the agent has the instance", async () => {
    const pending = { ...sso, readyWhen: "false" };
    await using life = await openLifecycle({ offering: { preparations: [pending] } });
    life.agents.plan("east-1", "silent");
    await life.create();
    await life.fleet.pass();
    assert.equal(await life.phase(), "preparing");
    await remove(life);
    await life.fleet.pass(20_000);
    await assertRemoved(life);

    await using unplaced = await openLifecycle({ clusters: {} });
    await unplaced.create();
    await unplaced.fleet.pass();
    await remove(unplaced);
    await unplaced.fleet.pass(20_000);
    await assertRemoved(unplaced);
  });

  it("completes from every phase", async () => {
    const phases: Readonly<Record<string, (life: LifecycleFleet) => Promise<void>>> = {
      accepted: async (life) => {
        await life.create();
      },
      provisioning: async (life) => {
        life.agents.plan("east-1", "silent");
        await life.create();
        await life.fleet.pass();
        life.agents.plan("east-1", "ready");
      },
      failed: async (life) => {
        life.agents.plan("east-1", { status: "False", reason: "Error" });
        await life.create();
        await life.settle();
      },
      ready: async (life) => {
        await life.create();
        await life.settle();
      },
      suspended: async (life) => {
        await life.create();
        await life.settle();
        const patch = { spec: { suspension: { reason: "unpaid" } } };
        await life.fleet.memory.patch(instanceAt("rex"), patch);
        await life.settle();
      },
      resuming: async (life) => {
        await life.create();
        await life.settle();
        const at = instanceAt("rex");
        await life.fleet.memory.patch(at, { spec: { suspension: { reason: "unpaid" } } });
        await life.settle();
        await life.fleet.memory.patch(at, { spec: { suspension: null } });
        await life.fleet.pass(100);
      },
    };
    for (const [phase, reach] of Object.entries(phases)) {
      await using life = await openLifecycle({ offering: { preparations: [sso] } });
      await reach(life);
      assert.equal((await life.phase()) || "accepted", phase);
      await remove(life);
      await life.settle();
      await life.fleet.pass(20_000);
      await assertRemoved(life);
      assert.equal((await life.fleet.list(deletedInstancesKind)).length, 1, phase);
    }
  });

  it("that is forced does not wait for the agent", async () => {
    await using life = await openLifecycle({ offering: { preparations: [sso] } });
    await life.create();
    await life.settle();
    life.agents.plan("east-1", "silent");
    await remove(life);
    await life.fleet.pass(60_000);
    assert.equal(await life.phase(), "deprovision");
    const annotations = { [forceDeleteAnnotation]: "the cluster is lost" };
    await life.fleet.memory.patch(instanceAt("rex"), { metadata: { annotations } });
    await life.fleet.pass(20_000);
    await assertRemoved(life);
  });
});

describe("an instance without a request", () => {
  it("is removed at the end of the lifespan of its type", async () => {
    const types = [
      { name: "standard", quota: "required" },
      { name: "eval", quota: "none", lifespanSeconds: 7_200 },
    ];
    await using life = await openLifecycle({ offering: { types } });
    await life.create("stays");
    await life.fleet.memory.patch(organisationAt(), { spec: { quotas: [] } });
    await life.create();
    await life.settle();
    assert.equal(textAt((await life.read())?.spec, "type"), "eval");
    await life.wait(hourMs);
    assert.equal(await life.phase(), "ready");
    await life.wait(1.5 * hourMs);
    await life.settle();
    await life.fleet.pass(10_000);
    assert.equal(await life.read(), undefined);
    assert.equal(await life.phase("stays"), "ready");
  });

  it("is suspended when it expires, and removed after the time of grace", async () => {
    const suspension = { expiryGrace: 7_200 };
    await using life = await openLifecycle({ offering: { suspension } });
    await life.create();
    await life.settle();
    const { clock } = life.fleet.memory.surroundings;
    const expire = async (ms: number): Promise<void> => {
      const expiresAt = new Date(clock.nowMs() + ms).toISOString();
      await life.fleet.memory.patch(instanceAt("rex"), { spec: { expiresAt } });
      await life.settle();
    };
    await expire(hourMs);
    assert.equal(await life.phase(), "ready");
    await life.wait(2 * hourMs);
    await life.settle();
    assert.equal(await life.phase(), "suspended");
    assert.equal(conditionOf(await life.read(), "Ready"), "False Suspended");
    assert.notEqual(await life.status("rex", "expiredAt"), undefined);
    await expire(24 * hourMs);
    assert.equal(await life.phase(), "ready");
    assert.equal(await life.status("rex", "expiredAt"), undefined);
    await expire(hourMs);
    await life.wait(2 * hourMs);
    await life.settle();
    await life.wait(3 * hourMs);
    await life.settle();
    await life.fleet.pass(10_000);
    await assertRemoved(life);
  });

  it("expires while its owner has no quota, and is removed after the time of grace", async () => {
    const suspension = { expiryGrace: 7_200, expiresWithoutQuota: true };
    await using life = await openLifecycle({ offering: { suspension } });
    await life.create();
    await life.settle();
    const quotas = async (...max: readonly number[]): Promise<void> => {
      const entries = max.map((each) => ({ offering: "dinosaurs", type: "standard", max: each }));
      await life.fleet.memory.patch(organisationAt(), { spec: { quotas: entries } });
      await life.settle();
    };
    await quotas();
    assert.equal(await life.phase(), "suspended");
    assert.notEqual(await life.status("rex", "expiredAt"), undefined);
    await life.wait(hourMs);
    await quotas(5);
    assert.equal(await life.phase(), "ready", "the quota is back");
    assert.equal(await life.status("rex", "expiredAt"), undefined);
    await quotas(0);
    assert.equal(await life.phase(), "suspended");
    await life.wait(3 * hourMs);
    await life.settle();
    await life.fleet.pass(10_000);
    await assertRemoved(life);
  });

  it("of a denied owner is suspended, resumed or removed after the time of grace", async () => {
    await using life = await openLifecycle({ offering: { suspension: { deniedGrace: 7_200 } } });
    await life.create();
    await life.fleet.as("bob").create(instance("tri"));
    await life.settle();
    const deny = async (users: readonly string[]): Promise<void> => {
      await life.fleet.memory.patch(offeringAt(), { spec: { access: { deniedUsers: users } } });
      await life.settle();
    };
    await deny(["alice"]);
    assert.equal(await life.phase("rex"), "suspended");
    assert.equal(await life.phase("tri"), "ready");
    await life.wait(hourMs);
    await deny([]);
    assert.equal(await life.phase("rex"), "ready");
    await deny(["alice"]);
    await life.wait(3 * hourMs);
    await life.settle();
    await life.fleet.pass(10_000);
    assert.equal(await life.read("rex"), undefined);
    assert.equal(await life.phase("tri"), "ready");
    const [record] = await life.fleet.list(deletedInstancesKind);
    assert.equal(textAt(record?.spec, "reason"), "the owner is denied");
  });

  it("is held while an administrator protects it, and everything else continues", async () => {
    await using life = await openLifecycle({ offering: { suspension: { deniedGrace: 0 } } });
    await life.create();
    await life.settle();
    const protect = async (value: string | null): Promise<void> => {
      const annotations = { "setpoint.dev/deletion-protection": value };
      await life.fleet.memory.patch(instanceAt("rex"), { metadata: { annotations } });
    };
    await protect("true");
    await life.fleet.memory.patch(organisationAt(), { spec: { isDenied: true } });
    await life.settle();
    assert.equal(await life.phase(), "suspended");
    assert.equal(conditionOf(await life.read(), "RemovalHeld"), "True Protected");
    assert.deepEqual(await life.fleet.list(deletedInstancesKind), []);
    await protect(null);
    await life.settle();
    await life.fleet.pass(10_000);
    await assertRemoved(life);
  });

  it("is not removed beyond the removals of an hour, and is suspended all the same", async () => {
    const suspension = { deniedGrace: 0, maxRemovalsPerHour: 2 };
    await using life = await openLifecycle({ offering: { suspension } });
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await life.create(name);
    await life.settle();
    await life.fleet.memory.patch(organisationAt(), { spec: { isDenied: true } });
    await life.settle();
    await life.fleet.pass(20_000);
    const left = async (): Promise<readonly string[]> => {
      const found = await Promise.all(names.map(async (name) => await life.read(name)));
      return found.flatMap((each) => each?.metadata.name ?? []);
    };
    const held = await left();
    assert.equal(held.length, 3);
    for (const name of held) {
      assert.equal(await life.phase(name), "suspended");
      assert.equal(conditionOf(await life.read(name), "RemovalHeld"), "True TooManyRemovals");
    }
    await life.wait(50 * 60_000);
    assert.deepEqual(await left(), held, "nothing more is removed within the hour");
    await life.wait(20 * 60_000);
    await life.settle();
    await life.fleet.pass(20_000);
    assert.equal((await left()).length, 1, "two more are removed in the next hour");
    await life.fleet.memory.patch(organisationAt(), { spec: { isDenied: false } });
    await life.settle();
    for (const name of await left()) {
      assert.equal(await life.phase(name), "ready");
      assert.equal(conditionOf(await life.read(name), "RemovalHeld"), "False NotNeeded");
    }
  });
});

describe("the record of a deleted instance", () => {
  const offering = readOffering(sampleOffering());

  async function deleted(life: LifecycleFleet): Promise<string> {
    await life.create("rex", {});
    await life.settle();
    const id = textAt((await life.read())?.spec, "id");
    await remove(life);
    await life.settle();
    await life.fleet.pass(10_000);
    return id;
  }

  async function restore(life: LifecycleFleet, id: string): Promise<void> {
    const { intents } = life.fleet.memory.plane;
    const input = { caller: systemCaller, offering, namespace: "org-acme", id };
    await restoreInstance(intents, input);
  }

  function refusedWith(code: string): (error: unknown) => boolean {
    return (error) => isSetpointError(error) && error.code === code;
  }

  it("restores the instance with its id, name and spec, once", async () => {
    await using life = await openLifecycle();
    const id = await deleted(life);
    await restore(life, id);
    await life.settle();
    assert.equal(await life.phase(), "ready");
    const { spec } = (await life.read()) ?? {};
    assert.equal(textAt(spec, "id"), id);
    assert.equal(textAt(spec, "owner"), "alice");
    assert.deepEqual(await life.fleet.list(deletedInstancesKind), []);
    await assert.rejects(restore(life, id), refusedWith("fleet.not_found"));
    await remove(life);
    await life.settle();
    await life.fleet.pass(10_000);
    assert.equal((await life.fleet.list(deletedInstancesKind)).length, 1);
  });

  it("does not restore over another instance of the name, nor beyond the quota", async () => {
    await using life = await openLifecycle();
    const id = await deleted(life);
    await life.create();
    await assert.rejects(restore(life, id), refusedWith("fleet.restore_conflict"));
    await remove(life);
    await life.settle();
    await life.fleet.pass(10_000);
    const quotas = [{ offering: "dinosaurs", type: "standard", max: 0 }];
    await life.fleet.memory.patch(organisationAt(), { spec: { quotas } });
    await assert.rejects(restore(life, id), refusedWith("fleet.quota_exceeded"));
    const records = (await life.fleet.list(deletedInstancesKind)).map(
      ({ metadata }) => metadata.name,
    );
    assert.ok(records.includes(id), "a refused restore keeps the record");
  });

  it("is deleted after the retention of the Offering", async () => {
    await using life = await openLifecycle({ offering: { retention: 7_200 } });
    const id = await deleted(life);
    await life.wait(hourMs);
    assert.equal((await life.fleet.list(deletedInstancesKind)).length, 1);
    await life.wait(2 * hourMs);
    assert.deepEqual(await life.fleet.list(deletedInstancesKind), []);
    await assert.rejects(restore(life, id), refusedWith("fleet.not_found"));
  });

  it("holds no secret of the instance that its status would hold", async () => {
    await using life = await openLifecycle();
    await deleted(life);
    const [record] = await life.fleet.list(deletedInstancesKind);
    assert.deepEqual(Object.keys(objectAt(record?.spec, "instance")).toSorted(), [
      "cloudProvider",
      "id",
      "multiAz",
      "owner",
      "quotaBackend",
      "region",
      "type",
    ]);
  });
});
