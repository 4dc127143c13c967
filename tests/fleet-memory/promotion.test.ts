// An instance changes to another type, such as from an evaluation to a paid type: who may do it,
// what it counts against, and what happens on its cluster.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import {
  clusterTypeCounter,
  organisationCounter,
  regionCounter,
} from "../../src/modules/fleet/names.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet, LifecycleOptions } from "./lifecycle-fleet.ts";
import { instance, instanceAt, organisationAt } from "./memory-fleet.ts";
import { clusterAt } from "./test-agent.ts";

const standard = { offering: "dinosaurs", type: "standard", max: 2 };
const hourMs = 3_600_000;

/** Alice has no quota at first, so that her instance is an evaluation. */
async function opened(options: LifecycleOptions = {}): Promise<LifecycleFleet> {
  const life = await openLifecycle(options);
  await life.fleet.memory.patch(organisationAt(), { spec: { quotas: [] } });
  return life;
}

async function setQuotas(life: LifecycleFleet, ...quotas: readonly JsonObject[]): Promise<void> {
  await life.fleet.memory.patch(organisationAt(), { spec: { quotas } });
  await life.fleet.pass();
}

function promoted(life: LifecycleFleet, name = "rex", type = "standard"): Promise<unknown> {
  return life.fleet.as("alice").patch(instanceAt(name), { spec: { type } });
}

async function refused(write: Promise<unknown>, code: string, text: RegExp): Promise<void> {
  await assert.rejects(write, (error) => {
    assert.ok(isSetpointError(error), String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, text);
    return true;
  });
}

async function typesOnClusters(life: LifecycleFleet): Promise<readonly string[]> {
  const all = await life.managed();
  return all.map(({ metadata, spec }) => `${metadata.namespace} ${textAt(spec, "type")}`).sort();
}

describe("a change of the type of an instance", () => {
  it("needs a quota of the owner, and moves what the instance counts against", async () => {
    await using life = await opened();
    await life.create();
    await life.settle();
    await refused(promoted(life), "fleet.quota_insufficient", /^spec\.type: alice has no quota/);
    await setQuotas(life, standard);
    await promoted(life);
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.deepEqual(await typesOnClusters(life), ["cluster-east-1 standard"]);
    const { store } = life.fleet.memory;
    const used = async (counter: string): Promise<number> => (await store.counter(counter)).value;
    const region = { offering: "dinosaurs", provider: "aws", region: "us-east-1" };
    const now = { standard: 1, eval: 0 };
    for (const [type, count] of Object.entries(now)) {
      assert.equal(await used(regionCounter({ ...region, type })), count);
      assert.equal(await used(clusterTypeCounter("east-1", type)), count);
    }
    assert.equal(await used(organisationCounter("dinosaurs", "acme", "standard")), 1);
    await life.fleet.as("alice").remove(instanceAt("rex"));
    await life.settle();
    await life.fleet.pass(60_000);
    assert.equal(await life.read(), undefined);
    assert.equal(await used(organisationCounter("dinosaurs", "acme", "standard")), 0);
    assert.equal(await used(clusterTypeCounter("east-1", "standard")), 0);
  });

  it("frees the one evaluation instance of the owner, and ends its lifespan", async () => {
    const types = [
      { name: "standard", quota: "required" },
      { name: "eval", quota: "none", onePerOwner: true, lifespanSeconds: 7_200 },
    ];
    await using life = await opened({ offering: { types } });
    await life.create();
    await life.settle();
    const again = life.fleet.as("alice").create(instance("tri", { owner: "alice" }));
    await refused(again, "fleet.capacity_reached", /may have one/);
    await setQuotas(life, standard);
    await promoted(life);
    await setQuotas(life, { ...standard, users: ["bob"] });
    await life.fleet.as("alice").create(instance("tri"));
    assert.equal(textAt((await life.read("tri"))?.spec, "type"), "eval");
    await life.wait(3 * hourMs);
    await life.settle();
    await life.wait(hourMs);
    assert.equal(await life.phase(), "ready");
    assert.equal(await life.read("tri"), undefined);
  });

  it("of 10 instances at one below the quota succeeds once", async () => {
    await using life = await opened({
      offering: {
        types: [
          { name: "standard", quota: "required" },
          { name: "eval", quota: "none" },
        ],
      },
    });
    const names = Array.from({ length: 10 }, (_, at) => `d${at}`);
    for (const name of names) await life.create(name);
    await setQuotas(life, { ...standard, max: 1 });
    const results = await Promise.allSettled(names.map((name) => promoted(life, name)));
    const codes = results.flatMap((result) =>
      result.status === "rejected" && isSetpointError(result.reason) ? result.reason.code : [],
    );
    assert.equal(codes.length, 9);
    assert.deepEqual([...new Set(codes)], ["fleet.quota_exceeded"]);
  });

  it("is refused where the type is not offered, not as large, or ends by itself", async () => {
    const types = [
      { name: "standard", quota: "required" },
      { name: "eval", quota: "none", lifespanSeconds: 172_800 },
      { name: "large", quota: "required", units: 4 },
      { name: "old", quota: "required", enabled: false },
      { name: "rare", quota: "required" },
    ];
    const offered = ["standard", "eval", "large", "old"].map((name) => ({ name }));
    const regions = [{ id: "us-east-1", isDefault: true, types: offered }];
    await using life = await opened({
      offering: { types, providers: [{ id: "aws", isDefault: true, regions }] },
    });
    await life.create();
    await setQuotas(
      life,
      ...types.map(({ name: type }) => ({ offering: "dinosaurs", type, max: 2 })),
    );
    const administrator = (type: string): Promise<unknown> =>
      life.fleet.memory.patch(instanceAt("rex"), { spec: { type } });
    for (const change of [(type: string) => promoted(life, "rex", type), administrator]) {
      await refused(change("rare"), "fleet.type_unavailable", /offers the types standard, eval/);
      await refused(change("none"), "fleet.type_unavailable", /and not none/);
      await refused(change("old"), "fleet.type_disabled", /disabled/);
      await refused(change("large"), "fleet.validation", /units: 4/);
    }
    await administrator("standard");
    await refused(administrator("eval"), "fleet.validation", /spec\.expiresAt/);
    const byBob = life.fleet.as("bob").patch(instanceAt("rex"), { spec: { type: "large" } });
    await refused(byBob, "fleet.not_owner", /owner/);
  });

  it("moves the instance, which stays in use, when its cluster cannot host the type", async () => {
    await using life = await opened({ clusters: { "east-1": { types: ["eval"] } } });
    await life.create();
    await life.settle();
    await setQuotas(life, standard);
    await promoted(life);
    await life.settle();
    assert.equal(await life.phase(), "ready", "no other cluster can host it");
    assert.deepEqual(await typesOnClusters(life), ["cluster-east-1 eval"]);
    await life.agents.addCluster("east-2");
    await life.fleet.pass(60_000);
    await life.settle();
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.deepEqual(await typesOnClusters(life), ["cluster-east-2 standard"]);
  });

  it("never exceeds what a cluster takes of the type", async () => {
    const capacity = { types: { standard: 1 } };
    await using life = await opened({
      clusters: { "east-1": { capacity } },
      offering: {
        types: [
          { name: "standard", quota: "required" },
          { name: "eval", quota: "none" },
        ],
      },
    });
    for (const name of ["a", "b"]) await life.create(name);
    await life.settle();
    await life.agents.addCluster("east-2");
    await setQuotas(life, standard);
    await Promise.all(["a", "b"].map((name) => promoted(life, name)));
    for (let turn = 0; turn < 4; turn += 1) {
      await life.settle();
      await life.fleet.pass(60_000);
    }
    for (const name of ["a", "b"]) assert.equal(await life.phase(name), "ready");
    assert.deepEqual(await typesOnClusters(life), [
      "cluster-east-1 standard",
      "cluster-east-2 standard",
    ]);
    assert.equal(
      textAt((await life.fleet.memory.read(clusterAt("east-1")))?.status, "phase"),
      "ready",
    );
  });

  it("is refused where a quota service has reserved the quota", async () => {
    const http = { url: "https://quota.example", onOutage: "withoutQuota" };
    await using life = await opened();
    await life.create();
    await life.fleet.memory.patch(
      { apiVersion: "fleet.setpoint.dev/v1", kind: "Offering", name: "dinosaurs" },
      { spec: { quota: { backend: "http", http } } },
    );
    await life.fleet.memory.create(instance("tri", { owner: "bob", type: "eval" }));
    const change = life.fleet.memory.patch(instanceAt("tri"), { spec: { type: "standard" } });
    await refused(change, "fleet.validation", /listed quota/);
  });
});
