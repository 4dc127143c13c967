// A control plane in memory on which the resource provider is started, without workers.

import assert from "node:assert/strict";
import { extensionsOf, kindsOf, loadedModule } from "../../src/app/load-modules.ts";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { UserModule } from "../../src/contract/user-module.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { ArmFaces } from "../../src/modules/resource-provider/faces/faces.ts";
import type { OfferedState } from "../../src/modules/resource-provider/provider-state.ts";
import { logger } from "../../src/telemetry/log.ts";

export interface MemoryProvider extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly faces: ArmFaces;
}

const noWorker = {
  isWorker: false,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
} as const;

/**
 * The modules are in files of their own names. The objects exist before the provider starts.
 * Without a configuration, only the face of a module starts the provider.
 */
export async function openMemoryProvider(
  modules: readonly UserModule[] = [],
  objects: readonly JsonObject[] = [],
  configuration: Readonly<Record<string, unknown>> = { arm: {} },
): Promise<MemoryProvider> {
  await using undo = new AsyncDisposableStack();
  const loaded = modules.map((module) => loadedModule(`${module.name}.ts`, module));
  const memory = undo.use(
    await openMemoryPlane({
      reconciled: kindsOf(loaded),
      extensions: extensionsOf(loaded),
      configuration,
    }),
  );
  for (const object of objects) await memory.create(object);
  const { plane, surroundings } = memory;
  const log = logger(() => undefined, surroundings.clock, "error");
  undo.use(
    await startReconciling({
      plane,
      modules: strictModules(loaded),
      config: noWorker,
      surroundings,
      log,
    }),
  );
  const offered = plane.modules.offered("resource-provider") as OfferedState | undefined;
  const running = undo.move();
  return {
    memory,
    get faces() {
      assert.ok(offered !== undefined, "the provider is started");
      return offered.faces;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
