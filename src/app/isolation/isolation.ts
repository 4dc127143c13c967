/** All user modules of a process, each in a thread of its own. */
import type { HealthCheck } from "../../contract/module.ts";
import type { Meter } from "../../engine/ports.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { ModuleLoading } from "../module-loading.ts";
import { IsolatedModule } from "./isolated-module.ts";

export interface IsolationConfig {
  /** A thread that is blocked for this long is terminated. */
  readonly blockedMs: number;
}

export interface Isolation extends AsyncDisposable {
  /** The default export of a file, with calls into its thread in place of functions. */
  readonly load: (file: string) => Promise<unknown>;
  readonly reloading: ModuleLoading;
  /** Ends the threads of all other modules, which cannot be used. */
  keep(files: ReadonlySet<string>): Promise<void>;
  countIn(meter: Meter): void;
  /** Where the `traceparent` of the code that executes comes from. */
  traceBy(trace: () => string | undefined): void;
  readonly healthChecks: readonly HealthCheck[];
}

export function openIsolation({ blockedMs }: IsolationConfig, log: Logger): Isolation {
  let modules: IsolatedModule[] = [];
  let traceNow: () => string | undefined = () => undefined;
  let counting: Meter | undefined;
  const trace = (): string | undefined => traceNow();
  const start = async (file: string) => {
    const module = new IsolatedModule(file, { log, blockedMs, trace });
    try {
      const value = await module.load();
      modules.push(module);
      return { module, value };
    } catch (error) {
      void module[Symbol.asyncDispose]();
      throw error;
    }
  };
  const end = (ended: readonly IsolatedModule[]): void => {
    modules = modules.filter((module) => !ended.includes(module));
    for (const module of ended) void module.retire();
  };
  const versionsOf = (file: string): readonly IsolatedModule[] =>
    modules.filter((module) => module.file === file);
  return {
    load: async (file) => (await start(file)).value,
    reloading: {
      load: async (file) => {
        const { module, value } = await start(file);
        return {
          value,
          use: ({ keepsFirst }) => {
            end(versionsOf(file).slice(keepsFirst ? 1 : 0, -1));
            if (counting !== undefined) module.countIn(counting);
          },
          drop: () => end([module]),
        };
      },
      filesOf: (file) => versionsOf(file).at(-1)?.files ?? [file],
    },
    keep: async (files) => {
      const others = modules.filter(({ file }) => !files.has(file));
      modules = modules.filter(({ file }) => files.has(file));
      for (const module of others) await module[Symbol.asyncDispose]();
    },
    countIn: (meter) => {
      counting = meter;
      for (const module of modules) module.countIn(meter);
    },
    traceBy: (given) => {
      traceNow = given;
    },
    healthChecks: [{ name: "isolated-modules", check: () => Promise.resolve(problemIn(modules)) }],
    [Symbol.asyncDispose]: async () => {
      await Promise.all(modules.map((module) => module[Symbol.asyncDispose]()));
    },
  };
}

function problemIn(modules: readonly IsolatedModule[]): string | undefined {
  const problems = modules.flatMap(({ problem }) => problem ?? []);
  return problems.length === 0 ? undefined : problems.join("; ");
}
