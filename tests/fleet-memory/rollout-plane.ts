// A control plane in memory with Rollouts and instances, and without the life cycle of instances:
// the test does what the life cycle and the agents do.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane, Place } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import type { Reconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { readCluster } from "../../src/modules/fleet/clusters/cluster.ts";
import type { Operator } from "../../src/modules/fleet/clusters/cluster.ts";
import { instanceKindOf } from "../../src/modules/fleet/kinds/instance-kind.ts";
import { fleet } from "../../src/modules/fleet/module.ts";
import { clusterKey, clustersKind, fleetVersion } from "../../src/modules/fleet/names.ts";
import { readOffering } from "../../src/modules/fleet/offering.ts";
import { followOfferings } from "../../src/modules/fleet/offerings/offering-index.ts";
import { rolloutGuard } from "../../src/modules/fleet/rollouts/rollout-guard.ts";
import { startRollouts } from "../../src/modules/fleet/rollouts/start-rollouts.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { logger } from "../../src/telemetry/log.ts";

const rolloutsOnly: BuiltInModule = {
  ...fleet,
  kinds: [
    ...(fleet.kinds ?? []),
    { kind: instanceKindOf(readOffering(sampleOffering())), isReconciled: false },
  ],
  open: async (ports) => {
    const { live } = ports;
    const offerings = followOfferings(live);
    return {
      admission: [rolloutGuard({ live, offerings })],
      start: async (more) => {
        const operatorsOf = (id: string): readonly Operator[] | undefined => {
          const found = live.get(clusterKey(id));
          return found && (readCluster(found.resource).report?.operators ?? []);
        };
        return startRollouts({ ports, more, offerings, operatorsOf });
      },
      close: () => offerings[Symbol.dispose](),
    };
  },
};

export interface RolloutPlane extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly lines: readonly string[];
  createInstance(name: string, spec?: JsonObject): Promise<void>;
  createRollout(name: string, spec?: JsonObject): Promise<Resource>;
  change(name: string, spec: JsonObject): Promise<void>;
  rollout(name: string): Promise<Resource | undefined>;
  instance(name: string): Promise<Resource | undefined>;
  /** What the life cycle does when the agent reports: the instance runs what it should. */
  settle(name: string, status?: JsonObject): Promise<void>;
  /** Names of the instances that should run another version than they do. */
  updating(): Promise<readonly string[]>;
  /** Lets time pass. */
  pass(ms?: number): Promise<void>;
  /** Stops the workers without letting them end their runs, and starts new ones. */
  restart(): Promise<void>;
}

const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
};

export async function openRolloutPlane(): Promise<RolloutPlane> {
  const memory = await openMemoryPlane({ builtIn: [rolloutsOnly], hasEngine: false });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const start = async (): Promise<Reconciling> => {
    const log = logger((line) => lines.push(line), surroundings.clock, "info");
    return await startReconciling({ plane, modules: strictModules([]), config, surroundings, log });
  };
  let running = await start();
  await memory.create(offeringDocument());
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "org-acme" } });
  await createCluster(memory, "east-1");
  return {
    memory,
    lines,
    ...instancesOf(memory),
    createRollout: async (name, spec = {}) =>
      await memory.create({
        apiVersion: fleetVersion,
        kind: "Rollout",
        metadata: { name },
        spec: {
          offering: "dinosaurs",
          versions: { product: "2.0.0" },
          waves: [{ percent: 100, maxUnavailable: 10 }],
          ...spec,
        },
      }),
    change: async (name, spec) => {
      await memory.patch(rolloutPlace(name), { spec });
    },
    rollout: async (name) => await memory.read(rolloutPlace(name)),
    pass: async (ms = 1_000) => await surroundings.timers.advance(ms),
    restart: async () => {
      await running[Symbol.asyncDispose]();
      running = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

type Instances = Pick<RolloutPlane, "createInstance" | "instance" | "settle" | "updating">;

function instancesOf(memory: MemoryPlane): Instances {
  const names: string[] = [];
  const read: Instances["instance"] = async (name) => await memory.read(instancePlace(name));
  const settle: Instances["settle"] = async (name, status = {}) => {
    const found = await read(name);
    const actualVersions = {
      ...objectAt(found?.status, "desiredVersions"),
      ...objectAt(found?.spec, "versions"),
    };
    const phaseSince = new Date(memory.surroundings.clock.nowMs()).toISOString();
    const whole = { phase: "ready", phaseSince, actualVersions, ...status };
    await memory.patch({ ...instancePlace(name), subresource: "status" }, { status: whole });
  };
  return {
    instance: read,
    settle,
    createInstance: async (name, spec = {}) => {
      names.push(name);
      await memory.create({
        apiVersion: "dinosaurs.example.dev/v1",
        kind: "Dinosaur",
        metadata: { name, namespace: "org-acme" },
        spec: { id: name, cloudProvider: "aws", region: "us-east-1", type: "standard", ...spec },
      });
      const versions = { product: "1.0.0", operator: "1.0.0" };
      const placement = { cluster: "east-1" };
      await settle(name, { placement, desiredVersions: versions, actualVersions: versions });
    },
    updating: async () => {
      const found: string[] = [];
      for (const name of names) {
        const instance = await read(name);
        const wanted = textAt(instance?.spec, "versions", "product");
        const actual = textAt(instance?.status, "actualVersions", "product");
        if (wanted !== "" && wanted !== actual) found.push(name);
      }
      return found;
    },
  };
}

export function rolloutPlace(name: string): Place {
  return { apiVersion: fleetVersion, kind: "Rollout", name };
}

export function instancePlace(name: string): Place {
  const apiVersion = "dinosaurs.example.dev/v1";
  return { apiVersion, kind: "Dinosaur", namespace: "org-acme", name };
}

function offeringDocument(): JsonObject {
  const { apiVersion, kind, metadata, spec = null } = sampleOffering();
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}

async function createCluster(memory: MemoryPlane, name: string): Promise<void> {
  const kind = "DataPlaneCluster";
  await memory.create({
    apiVersion: fleetVersion,
    kind,
    metadata: { name },
    spec: { provider: "aws", region: "us-east-1", dns: `apps.${name}.example.com` },
  });
  const operators = [{ version: "1.0.0", isReady: true, versions: ["1.0.0", "2.0.0"] }];
  const report = { at: "2026-01-01T00:00:00Z", isReady: true, operators };
  const place = { apiVersion: fleetVersion, kind, name, subresource: "status" };
  await memory.patch(place, { status: { phase: "ready", report } });
  await memory.plane.intents.live.reached((await memory.store.head()).revision);
  if (memory.plane.intents.live.get({ kind: clustersKind, namespace: "", name }) === undefined) {
    throw new Error("the cluster is not in the live view");
  }
}
