// A run is cut off at each of its commits, before or after the commit is applied, and another run
// continues. The result must be the same as without the cut: one ManagedInstance, one child for
// each preparation, one record of a deletion, exact counters, and phases along the table only.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SetpointError } from "../../src/kernel/errors.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { isPhase, mayMove } from "../../src/modules/fleet/lifecycle/phases.ts";
import {
  clusterCounter,
  deletedInstancesKind,
  offeringCounter,
} from "../../src/modules/fleet/names.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { dinosaursKind, instanceAt } from "./memory-fleet.ts";
import { clusterAt } from "./test-agent.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };
const preparations = [
  {
    name: "sso",
    template: { ...configMap, data: { host: "${instance.status.host}" } },
    readyWhen: "true",
  },
  {
    name: "dns",
    phase: "routes",
    forEach: "route",
    template: { ...configMap, data: { router: "${route.router}" } },
    readyWhen: "true",
  },
];

interface Scenario {
  readonly name: string;
  /** Before the run that is cut off. */
  readonly prepare: (life: LifecycleFleet) => Promise<void>;
  readonly act: (life: LifecycleFleet) => Promise<void>;
  readonly check: (life: LifecycleFleet) => Promise<void>;
}

async function children(life: LifecycleFleet): Promise<readonly string[]> {
  return (await life.fleet.list("configmaps")).map(({ metadata }) => metadata.name).toSorted();
}

async function assertOn(life: LifecycleFleet, cluster: string): Promise<void> {
  assert.equal(await life.phase(), "ready");
  assert.deepEqual(
    (await life.managed()).map(({ metadata }) => metadata.namespace),
    [`cluster-${cluster}`],
  );
  assert.deepEqual(await children(life), ["rex-dns-0", "rex-sso"]);
  const { store } = life.fleet.memory;
  for (const each of ["east-1", "east-2"]) {
    const { value } = await store.counter(clusterCounter(each));
    assert.equal(value, each === cluster ? 1 : 0, each);
  }
}

const scenarios: readonly Scenario[] = [
  {
    name: "a creation",
    prepare: async (life) => {
      await life.fleet.memory.patch(clusterAt("east-2"), { spec: { isSchedulable: false } });
    },
    act: async (life) => {
      await life.create();
    },
    check: async (life) => await assertOn(life, "east-1"),
  },
  {
    name: "a move to another cluster",
    prepare: async (life) => {
      await life.fleet.memory.patch(clusterAt("east-2"), { spec: { isSchedulable: false } });
      await life.create();
      await life.settle();
      await life.fleet.memory.patch(clusterAt("east-2"), { spec: { isSchedulable: true } });
      await life.fleet.pass();
    },
    act: async (life) => {
      await life.fleet.memory.patch(clusterAt("east-1"), { spec: { isDraining: true } });
    },
    check: async (life) => await assertOn(life, "east-2"),
  },
  {
    name: "a deletion",
    prepare: async (life) => {
      await life.create();
      await life.settle();
    },
    act: async (life) => {
      await life.fleet.memory.remove(instanceAt("rex"));
    },
    check: async (life) => {
      assert.equal(await life.read(), undefined);
      assert.deepEqual(await life.managed(), []);
      assert.deepEqual(await children(life), []);
      assert.equal((await life.fleet.list(deletedInstancesKind)).length, 1);
      const { value } = await life.fleet.memory.store.counter(offeringCounter("dinosaurs"));
      assert.equal(value, 0);
    },
  },
];

/** One commit of the runs fails. Returns a function that returns how many there were. */
function cutAt(life: LifecycleFleet, cut: number, isApplied: boolean): () => number {
  const { store } = life.fleet.memory;
  const commit = store.commit.bind(store);
  let count = 0;
  store.commit = async (writes, options) => {
    const isEngine = writes.some((write) => write.kind !== "schedule" && isRun(write.cause.actor));
    if (!isEngine) return await commit(writes, options);
    count += 1;
    if (count !== cut) return await commit(writes, options);
    if (!isApplied) throw new SetpointError("store.unavailable", "cut off before the commit");
    await commit(writes, options);
    throw new SetpointError("store.outcome_unknown", "cut off after the commit");
  };
  return () => count;
}

function isRun(actor: string): boolean {
  return actor.includes("engine");
}

/** Whether the runs reached the commit. */
async function ran(scenario: Scenario, cut: number, isApplied: boolean): Promise<boolean> {
  await using life = await openLifecycle({
    offering: { preparations },
    clusters: { "east-1": {}, "east-2": {} },
  });
  await scenario.prepare(life);
  const commits = cutAt(life, cut, isApplied);
  await scenario.act(life);
  await life.settle();
  await life.fleet.pass(60_000);
  await life.settle();
  await life.fleet.pass(10_000);
  await scenario.check(life);
  assert.deepEqual(await life.fleet.memory.store.verify(), []);
  await assertTable(life);
  return commits() >= cut;
}

async function assertTable(life: LifecycleFleet): Promise<void> {
  const key = { kind: dinosaursKind, namespace: "org-acme", name: "rex" };
  const changes = await life.fleet.memory.store.history(key, { limit: 1_000 });
  const phases = changes
    .toReversed()
    .map(({ body, revision }) => textAt(decodeDocument(body, revision).status, "phase"))
    .filter((phase) => isPhase(phase));
  for (const [at, phase] of phases.entries()) {
    const before = phases[at - 1] ?? phase;
    assert.ok(mayMove(before, phase), `from ${before} to ${phase}`);
  }
}

describe("runs that are cut off at any of their commits", () => {
  for (const scenario of scenarios) {
    for (const isApplied of [false, true]) {
      const when = isApplied ? "after" : "before";
      it(`complete ${scenario.name} when they are cut off ${when} the commit`, async () => {
        let cut = 1;
        while (await ran(scenario, cut, isApplied)) cut += 1;
        assert.ok(cut > 5, `only ${cut} commits`);
      });
    }
  }
});
