// A control plane in memory in which a test uses a Target as a run of a deployment does.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import { done } from "../../src/engine/outcome.ts";
import type { Context } from "../../src/engine/reconciler.ts";
import { namespaceTenant } from "../../src/intents/auth/tenant-name.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { nextTurn } from "../../src/kernel/pauses.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { gitopsConfiguration } from "../../src/modules/gitops/configuration.ts";
import { gitops } from "../../src/modules/gitops/module.ts";
import { openPolicy } from "../../src/modules/gitops/policy/open-policy.ts";
import { openTargets } from "../../src/modules/gitops/targets/open-targets.ts";
import type {
  OpenedTarget,
  TargetIdentity,
  Targets,
} from "../../src/modules/gitops/targets/target.ts";
import { logger } from "../../src/telemetry/log.ts";

export const tenant = "jane";

export interface TargetRig extends AsyncDisposable {
  readonly memory: MemoryPlane;
  /** Opens the target of a deployment with this spec in a run, and returns what `use` returns. */
  readonly inRun: <T>(
    use: (opened: OpenedTarget) => Promise<T>,
    spec?: JsonObject,
    earlier?: TargetIdentity,
  ) => Promise<T>;
}

const group = "probes.example";

const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};

export async function openTargetRig(): Promise<TargetRig> {
  let act: (deployment: Resource, opened: OpenedTarget) => Promise<void> = async () => undefined;
  const earlierOf: { identity?: TargetIdentity | undefined } = {};
  const probes = probeModule(async (probe, context, targets) => {
    const { identity } = earlierOf;
    const opened =
      identity === undefined
        ? await targets.open(probe, context)
        : await targets.openEarlier(identity, probe, context);
    await act(probe, opened);
  });
  const memory = await openMemoryPlane({ builtIn: [gitops, probes], hasEngine: false });
  const { plane, surroundings } = memory;
  const log = logger(() => undefined, surroundings.clock, "error");
  const modules = strictModules([]);
  const running = await startReconciling({ plane, modules, config, surroundings, log });
  for (const name of [tenant, "bob"]) {
    await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  let count = 0;
  return {
    memory,
    inRun: async (use, given = {}, earlier) => {
      count += 1;
      const metadata = { name: `probe-${count}`, namespace: tenant };
      earlierOf.identity = earlier;
      const result = Promise.withResolvers<Awaited<ReturnType<typeof use>>>();
      act = async (probe, opened) => {
        if (probe.metadata.name === metadata.name) result.resolve(await use(opened));
      };
      await memory.create({ apiVersion: `${group}/v1`, kind: "Probe", metadata, spec: given });
      const over = new AbortController();
      void result.promise.finally(() => over.abort());
      while (!over.signal.aborted) {
        await surroundings.timers.advance(100);
        await nextTurn(namespaceTenant(tenant));
      }
      return await result.promise;
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

type Run = (probe: Resource, context: Context, targets: Targets) => Promise<void>;

/** A module with a kind whose runs use targets. */
function probeModule(run: Run): BuiltInModule {
  const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { type: "object", properties: { spec } };
  return {
    name: "probes",
    version: 1,
    kinds: [
      {
        isReconciled: true,
        kind: {
          group,
          names: { plural: "probes", kind: "Probe" },
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      },
    ],
    open: async (ports) => {
      const input = { ports, configuration: gitopsConfiguration(undefined) };
      const targets = openTargets({ ...input, policies: openPolicy(input).policies });
      return {
        policyOf: (system) => targets.policyOf?.(system),
        start: async (more) => {
          await using stops = new AsyncDisposableStack();
          // The module itself has the reconcilers.
          const engine = { ...more.engine, add: () => () => undefined };
          await targets.start?.({ ...more, engine }, stops);
          const remove = more.engine.add({
            kind: `probes.${group}`,
            reconcile: async (probe, context) => {
              await run(probe, context, targets.targets);
              return done();
            },
          });
          stops.defer(remove);
          return stops.move();
        },
      };
    },
  };
}
