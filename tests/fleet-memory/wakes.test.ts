// Which changes of Organisations and clusters wake instances. A process that does not lead may run
// an instance before its memory shows a change that the leader has seen, so it wakes the instance
// itself when it has seen the change.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { fleet } from "../../src/modules/fleet/module.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { dinosaursKind, organisationAt } from "./memory-fleet.ts";
import { clusterAt } from "./test-agent.ts";

const neverLeads: BuiltInModule = {
  ...fleet,
  open: async (ports) => {
    const opened = (await fleet.open?.(ports)) ?? {};
    const lead = (): (() => void) => () => undefined;
    return {
      ...opened,
      start: async (more) => {
        const running = await opened.start?.({ ...more, engine: { ...more.engine, lead } });
        return { [Symbol.asyncDispose]: async () => await running?.[Symbol.asyncDispose]() };
      },
    };
  },
};

/** The names of instances that something wakes from now on. */
function wokenIn({ fleet: { memory } }: LifecycleFleet): string[] {
  const { store } = memory;
  const commit = store.commit.bind(store);
  const woken: string[] = [];
  store.commit = async (writes, options) => {
    for (const { kind, key } of writes) {
      if (kind === "schedule" && key.kind === dinosaursKind) woken.push(key.name);
    }
    return await commit(writes, options);
  };
  return woken;
}

it("a denial reaches the instances of an organisation without the leader", async () => {
  await using life = await openLifecycle({ module: neverLeads });
  await life.create();
  await life.settle();
  assert.equal(await life.phase(), "ready");
  await life.fleet.memory.patch(organisationAt(), { spec: { isDenied: true } });
  await life.settle();
  assert.equal(await life.phase(), "suspended");
});

it("instances leave a drained cluster, and regions follow it, without the leader", async () => {
  const capacity = { instances: 3 };
  const clusters = { "east-1": { capacity }, "east-2": { capacity } };
  await using life = await openLifecycle({ module: neverLeads, clusters });
  await life.create();
  await life.settle();
  const cluster = textAt(await life.status("rex", "placement"), "cluster");
  await life.fleet.memory.patch(clusterAt(cluster), {
    spec: { isDraining: true, capacity: { instances: 5 } },
  });
  await life.settle();
  assert.notEqual(textAt(await life.status("rex", "placement"), "cluster"), cluster);
  const bounds = await life.fleet.list("regioncapacities.fleet.setpoint.dev");
  const all = bounds.find(({ spec }) => textAt(spec, "type") === "*");
  assert.equal(valueAt(all?.spec, "max"), 8);
});

it("a report about the capacity of a cluster wakes no instance that is on it", async () => {
  await using life = await openLifecycle({
    clusters: { "east-1": { capacity: { instances: 9 } } },
  });
  for (const name of ["a", "b"]) await life.create(name);
  await life.settle();
  const woken = wokenIn(life);
  const capacity = { standard: { maxUnits: 9, remainingUnits: 7 } };
  await life.agents.reportCluster("east-1", { capacity });
  await life.fleet.pass(5_000);
  assert.deepEqual(woken, []);
  await life.fleet.memory.patch(clusterAt("east-1"), { spec: { dns: "apps.other.example.com" } });
  await life.fleet.pass(5_000);
  assert.deepEqual(new Set(woken), new Set(["a", "b"]));
});

it("a member who joins or leaves an organisation wakes no instance", async () => {
  await using life = await openLifecycle();
  for (const name of ["a", "b"]) await life.create(name);
  await life.settle();
  const woken = wokenIn(life);
  const members = async (...more: readonly JsonObject[]): Promise<void> => {
    await life.fleet.memory.patch(organisationAt(), { spec: { members: [...known, ...more] } });
    await life.fleet.pass(5_000);
  };
  const known = objectsAt((await life.fleet.memory.read(organisationAt()))?.spec, "members");
  await members({ user: "zoe" });
  await members();
  assert.deepEqual(woken, []);
  await members({ user: "zoe", isDenied: true });
  assert.deepEqual(new Set(woken), new Set(["a", "b"]));
});
