// A control plane in memory with the gitops module, for tests. The test owns the time.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane, MemoryPlaneOptions } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { Reconciling } from "../../src/app/reconciling.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { nextTurn } from "../../src/kernel/pauses.ts";
import { namespaceTenant } from "../../src/intents/auth/tenant-name.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { gitopsConfiguration } from "../../src/modules/gitops/configuration.ts";
import { gitops } from "../../src/modules/gitops/module.ts";
import { startParts } from "../../src/modules/gitops/start.ts";
import { openStatus } from "../../src/modules/gitops/status/open-status.ts";
import { logger } from "../../src/telemetry/log.ts";
import type { Fakes } from "./fakes.ts";

export const apiVersion = "gitops.setpoint.dev/v1";
export const tenant = "jane";

export interface Rig extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly lines: readonly string[];
  /** In the namespace of the tenant, unless the kind is cluster-wide. */
  readonly create: (kind: string, name: string, spec: JsonObject) => Promise<Resource>;
  readonly read: (kind: string, name: string) => Promise<Resource | undefined>;
  readonly patch: (kind: string, name: string, patch: Json) => Promise<Resource>;
  /** Whether the resource does not exist after the call. */
  readonly remove: (kind: string, name: string) => Promise<boolean>;
  readonly list: (kind: string) => Promise<readonly Resource[]>;
  readonly pass: (ms?: number) => Promise<void>;
  /** `during` runs while no process does. */
  readonly restart: (during?: () => Promise<void>) => Promise<void>;
  /** As /metrics shows them. */
  readonly metrics: () => string;
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

export interface RigOptions extends Pick<MemoryPlaneOptions, "broker" | "configuration"> {
  /** Further modules. */
  readonly beside?: readonly BuiltInModule[];
}

/** With `fakes`, sync runs alone, with a repository and a target of the test. */
export async function openRig(
  configuration: JsonObject = {},
  fakes?: Pick<Fakes, "open">,
  level: "info" | "warn" = "warn",
  more: RigOptions = {},
): Promise<Rig> {
  const { beside = [], ...options } = more;
  const memory = await openMemoryPlane({
    builtIn: [...beside, fakes === undefined ? gitops : withFakes(fakes)],
    hasEngine: false,
    ...options,
    configuration: { ...options.configuration, gitops: configuration },
  });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), surroundings.clock, level);
  const modules = strictModules([]);
  const start = async (): Promise<Reconciling> =>
    await startReconciling({ plane, modules, config, surroundings, log });
  let running = await start();
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
    patch: async (kind, name, patch) =>
      await memory.patch({ apiVersion, kind, ...scopeOf(kind), name }, patch),
    remove: async (kind, name) => await memory.remove({ apiVersion, kind, ...scopeOf(kind), name }),
    list: async (kind) => {
      const { records } = await memory.store.list({ kind });
      return records.map(({ body, revision }) => decodeDocument(body, revision));
    },
    metrics: () => plane.meter.text(),
    restart: async (during) => {
      await running[Symbol.asyncDispose]();
      await during?.();
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

function withFakes(fakes: Pick<Fakes, "open">): BuiltInModule {
  return {
    ...gitops,
    open: async (ports) => {
      const configuration = gitopsConfiguration(ports.configuration);
      const input = { ports, configuration };
      const part = fakes.open(input);
      const { admission = [] } = part;
      const parts = [part, openStatus(input)];
      const routes = part.routes ?? (() => []);
      return { admission, routes, start: async (more) => await startParts(parts, more) };
    },
  };
}
