// A control plane in memory with clusters and managed instances, and without the life cycle of
// instances: tests write ManagedInstances themselves.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane, Place } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { clusterGuard } from "../../src/modules/fleet/clusters/cluster-guard.ts";
import { startClusters } from "../../src/modules/fleet/clusters/start-clusters.ts";
import { fleet } from "../../src/modules/fleet/module.ts";
import { clusterNamespace, fleetVersion } from "../../src/modules/fleet/names.ts";
import { logger } from "../../src/telemetry/log.ts";

const clustersOnly: BuiltInModule = {
  ...fleet,
  open: async (ports) => ({
    admission: [clusterGuard({ ...ports, offerings: { all: () => [] } })],
    start: async (more) => {
      const end = startClusters(ports, more);
      return { [Symbol.asyncDispose]: async () => end() };
    },
  }),
};

export interface MemoryClusters extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly lines: readonly string[];
  createCluster(name: string, spec?: JsonObject): Promise<Resource>;
  /** What the agent of the cluster reports. */
  reportCluster(name: string, report: JsonObject): Promise<void>;
  place(cluster: string, id: string, spec?: JsonObject): Promise<Resource>;
  reportInstance(cluster: string, id: string, report: JsonObject): Promise<void>;
  cluster(name: string): Promise<Resource | undefined>;
  instance(cluster: string, id: string): Promise<Resource | undefined>;
  /** Lets time pass. */
  pass(ms?: number): Promise<void>;
}

export async function openMemoryClusters(): Promise<MemoryClusters> {
  const memory = await openMemoryPlane({ builtIn: [clustersOnly], hasEngine: false });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const running = await startReconciling({
    plane,
    modules: strictModules([]),
    config: {
      isWorker: true,
      slots: undefined,
      perNamespace: undefined,
      leaseMs: undefined,
      graceMs: 0,
    },
    surroundings,
    log: logger((line) => lines.push(line), surroundings.clock, "info"),
  });
  return {
    memory,
    lines,
    createCluster: async (name, spec = {}) =>
      await memory.create({
        apiVersion: fleetVersion,
        kind: "DataPlaneCluster",
        metadata: { name },
        spec: { provider: "aws", region: "r1", dns: `apps.${name}.example.com`, ...spec },
      }),
    reportCluster: async (name, report) => {
      const at = new Date(surroundings.clock.nowMs()).toISOString();
      const status = { report: { at, ...report } };
      await memory.patch({ ...clusterPlace(name), subresource: "status" }, { status });
    },
    place: async (cluster, id, spec = { host: `${id}.example.com` }) =>
      await memory.create({
        apiVersion: fleetVersion,
        kind: "ManagedInstance",
        metadata: { name: id, namespace: clusterNamespace(cluster) },
        spec: {
          offering: "dinosaurs",
          instance: { namespace: "org-a", name: id, uid: `uid-${id}` },
          placementId: "p1",
          type: "standard",
          ...spec,
        },
      }),
    reportInstance: async (cluster, id, report) => {
      const place = { ...instancePlace(cluster, id), subresource: "status" };
      await memory.patch(place, { status: { report } });
    },
    cluster: async (name) => await memory.read(clusterPlace(name)),
    instance: async (cluster, id) => await memory.read(instancePlace(cluster, id)),
    pass: async (ms = 1_000) => await surroundings.timers.advance(ms),
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

export function clusterPlace(name: string): Place {
  return { apiVersion: fleetVersion, kind: "DataPlaneCluster", name };
}

export function instancePlace(cluster: string, id: string): Place {
  const namespace = clusterNamespace(cluster);
  return { apiVersion: fleetVersion, kind: "ManagedInstance", namespace, name: id };
}

export function phaseOf(cluster: Resource | undefined): string {
  return textAt(cluster?.status, "phase");
}

/** Reason and message of a condition. */
export function conditionOf(resource: Resource | undefined, type: string): JsonObject {
  const conditions = objectsAt(resource?.status, "conditions");
  return conditions.find((condition) => textAt(condition, "type") === type) ?? {};
}

export function ready(status: string, reason = "", message = ""): JsonObject {
  return { conditions: [{ type: "Ready", status, reason, message }] };
}
