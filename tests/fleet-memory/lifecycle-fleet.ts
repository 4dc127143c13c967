// A fleet in memory with an organisation, clusters and agents, for tests of the life cycle.

import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt, valueAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { managedInstancesKind } from "../../src/modules/fleet/names.ts";
import { instance, instanceAt, openMemoryFleet } from "./memory-fleet.ts";
import type { MemoryFleet, MemoryFleetOptions } from "./memory-fleet.ts";
import { TestAgents } from "./test-agent.ts";

export interface LifecycleFleet extends AsyncDisposable {
  readonly fleet: MemoryFleet;
  readonly agents: TestAgents;
  /** Creates an instance as alice. */
  readonly create: (name?: string, spec?: JsonObject) => Promise<void>;
  readonly read: (name?: string) => Promise<Resource | undefined>;
  readonly phase: (name?: string) => Promise<string>;
  readonly status: (name: string, ...path: readonly string[]) => Promise<Json | undefined>;
  readonly managed: () => Promise<readonly Resource[]>;
  /** Agents and reconcilers work until agents have nothing to report. */
  readonly settle: () => Promise<void>;
  /** Lets a long time pass; agents keep reporting about their clusters. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface LifecycleOptions extends MemoryFleetOptions {
  readonly offering?: JsonObject;
  readonly clusters?: Readonly<Record<string, JsonObject>>;
}

const hourMs = 3_600_000;
const quotas = [{ offering: "dinosaurs", type: "standard", max: 1_000 }];

export async function openLifecycle(options: LifecycleOptions = {}): Promise<LifecycleFleet> {
  const { offering = {}, clusters = { "east-1": {} }, ...others } = options;
  const fleet = await openMemoryFleet(others);
  const agents = new TestAgents(fleet);
  await fleet.offer(offering);
  await fleet.organise("acme", { quotas });
  for (const [id, spec] of Object.entries(clusters)) await agents.addCluster(id, spec);
  const read = async (name = "rex"): Promise<Resource | undefined> =>
    await fleet.memory.read(instanceAt(name));
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      await fleet.pass();
      if ((await agents.work()) === 0) return;
    }
    throw new Error("agents report without end");
  };
  return {
    fleet,
    agents,
    read,
    settle,
    create: async (name = "rex", spec = {}) => {
      await fleet.as("alice").create(instance(name, spec));
    },
    phase: async (name = "rex") => textAt((await read(name))?.status, "phase"),
    status: async (name, ...path) => valueAt((await read(name))?.status, ...path),
    managed: async () => await fleet.list(managedInstancesKind),
    wait: async (ms) => {
      for (let left = ms; left > 0; left -= hourMs) {
        for (const cluster of agents.clusters) await agents.reportCluster(cluster);
        await fleet.pass(Math.min(left, hourMs));
      }
    },
    [Symbol.asyncDispose]: async () => await fleet[Symbol.asyncDispose](),
  };
}
