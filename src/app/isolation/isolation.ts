/** All user modules of a process, each in a thread of its own. */
import type { HealthCheck } from "../../contract/module.ts";
import type { Meter } from "../../engine/ports.ts";
import type { Logger } from "../../telemetry/log.ts";
import { IsolatedModule } from "./isolated-module.ts";

export interface IsolationConfig {
  /** A thread that is blocked for this long is terminated. */
  readonly blockedMs: number;
}

export interface Isolation extends AsyncDisposable {
  /** The default export of a file, with calls into its thread in place of functions. */
  readonly load: (file: string) => Promise<unknown>;
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
  const trace = (): string | undefined => traceNow();
  return {
    load: async (file) => {
      const module = new IsolatedModule(file, { log, blockedMs, trace });
      try {
        const value = await module.load();
        modules.push(module);
        return value;
      } catch (error) {
        void module[Symbol.asyncDispose]();
        throw error;
      }
    },
    keep: async (files) => {
      const others = modules.filter(({ file }) => !files.has(file));
      modules = modules.filter(({ file }) => files.has(file));
      for (const module of others) await module[Symbol.asyncDispose]();
    },
    countIn: (meter) => {
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
