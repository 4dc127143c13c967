/**
 * Loads the user modules under the guards of this process: the watchdog of the event loop, and a
 * thread for each module where modules are isolated. Both begin before any code of an author runs.
 */
import type { HealthCheck } from "../contract/module.ts";
import type { Meter } from "../engine/ports.ts";
import type { Logger } from "../telemetry/log.ts";
import type { LogForm } from "../telemetry/log-form.ts";
import type { EngineConfig } from "./engine-config.ts";
import { openIsolation } from "./isolation/isolation.ts";
import type { ModuleLoading } from "./module-loading.ts";
import { loadModules } from "./load-modules.ts";
import type { Tracing } from "./tracing.ts";
import { userModules } from "./user-modules.ts";
import type { UserModules } from "./user-modules.ts";
import { startWatchdog } from "./watchdog/watchdog.ts";

export interface GuardedModules {
  readonly modules: UserModules;
  readonly healthChecks: readonly HealthCheck[];
  /** For reloads, where modules are isolated. */
  readonly loading: ModuleLoading | undefined;
  /** From here on blocks and stops are counted, and runs are named with their modules. */
  introduce(meter: Meter, tracing: Tracing | undefined): void;
}

export interface GuardedModulesInput {
  readonly config: Pick<EngineConfig, "modules" | "isolation">;
  readonly log: Logger;
  /** Of the watchdog's log; undefined: there is no watchdog. */
  readonly form: LogForm | undefined;
  /** Modules end after the engine, whose runs they execute. */
  readonly undo: AsyncDisposableStack;
}

export async function loadGuarded(input: GuardedModulesInput): Promise<GuardedModules> {
  const { config, log, form, undo } = input;
  const watchdog = form && undo.use(startWatchdog({ log, form }));
  const isolation = config.isolation && undo.use(openIsolation(config.isolation, log));
  const modules = userModules(await loadModules(config.modules, isolation?.load), log);
  await isolation?.keep(new Set(modules.usable().map(({ file }) => file)));
  return {
    modules,
    loading: isolation?.reloading,
    healthChecks: [watchdog, isolation].flatMap((guard) => guard?.healthChecks ?? []),
    introduce: (meter, tracing) => {
      watchdog?.countIn(meter);
      watchdog?.nameModules(namesOf(modules));
      isolation?.countIn(meter);
      isolation?.traceBy(() => tracing?.runs.traceparent());
    },
  };
}

function namesOf(modules: UserModules): ReadonlyMap<string, string> {
  const named = modules
    .usable()
    .flatMap(({ name, kinds }) => kinds.map(({ id }) => [id, name] as const));
  return new Map(named);
}
