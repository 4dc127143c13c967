// A control plane in memory with the gitops module, for tests. The test owns the time.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { nextTurn } from "../../src/kernel/pauses.ts";
import { namespaceTenant } from "../../src/intents/auth/tenant-name.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { gitops } from "../../src/modules/gitops/module.ts";
import { logger } from "../../src/telemetry/log.ts";

export const apiVersion = "gitops.setpoint.dev/v1";
export const tenant = "jane";

export interface Rig extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly lines: readonly string[];
  /** In the namespace of the tenant, unless the kind is cluster-wide. */
  readonly create: (kind: string, name: string, spec: JsonObject) => Promise<Resource>;
  readonly read: (kind: string, name: string) => Promise<Resource | undefined>;
  readonly pass: (ms?: number) => Promise<void>;
}

const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};

const clusterKinds = new Set(["GitOpsPolicy", "HealthRule"]);

export async function openRig(configuration: JsonObject = {}): Promise<Rig> {
  const memory = await openMemoryPlane({
    builtIn: [gitops],
    hasEngine: false,
    configuration: { gitops: configuration },
  });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), surroundings.clock, "warn");
  const running = await startReconciling({
    plane,
    modules: strictModules([]),
    config,
    surroundings,
    log,
  });
  const pass = async (ms = 1_500): Promise<void> => {
    for (let left = ms; left > 0; left -= 100) {
      await surroundings.timers.advance(Math.min(left, 100));
      await nextTurn(namespaceTenant(tenant));
    }
  };
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: tenant } });
  await pass();
  const scopeOf = (kind: string): { readonly namespace?: string } =>
    clusterKinds.has(kind) ? {} : { namespace: tenant };
  return {
    memory,
    lines,
    pass,
    create: async (kind, name, spec) =>
      await memory.create({ apiVersion, kind, metadata: { name, ...scopeOf(kind) }, spec }),
    read: async (kind, name) => await memory.read({ apiVersion, kind, ...scopeOf(kind), name }),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}
