/**
 * The modules of users in this process: those that it uses, and those that it cannot use with the
 * reason. A module may turn out to be unusable when its kinds are installed, or when a built-in
 * module receives its extensions.
 */
import { basename } from "node:path";
import type { HealthCheck } from "../contract/module.ts";
import type { SetpointError } from "../kernel/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import { brokenModule } from "./broken-module.ts";
import type { BrokenModule } from "./broken-module.ts";
import { kindsOf } from "./load-modules.ts";
import type { LoadedModule, LoadedModules } from "./load-modules.ts";

export interface UserModules {
  usable(): readonly LoadedModule[];
  broken(): readonly BrokenModule[];
  /** Of all modules, in their order. */
  files(): readonly string[];
  /** Uses another version of a module, or one that could not be used before. */
  replace(module: LoadedModule): void;
  /** The kinds that usable modules reconcile. */
  readonly kinds: Pick<ReadonlySet<string>, "has">;
  /** Reports the problem, and does not use the module any more. */
  refuse(file: string, error: SetpointError): void;
  /** Reports the problem; the rest of the module is used. */
  report(file: string, error: SetpointError): void;
}

export function userModules(loaded: LoadedModules, log: Pick<Logger, "error">): UserModules {
  let usable = loaded.modules;
  let kinds = kindsOf(usable);
  let broken: readonly BrokenModule[] = [];
  const add = (module: BrokenModule): void => {
    broken = [...broken, module];
    const { file, error } = module;
    log.error({ file, error, try: error.suggestion }, "module not usable");
  };
  const nameOf = (file: string): string | undefined =>
    loaded.modules.find((module) => module.file === file)?.name;
  for (const module of loaded.broken) add(module);
  return {
    usable: () => usable,
    broken: () => broken,
    files: () => [...new Set([...usable, ...broken].map(({ file }) => file))],
    replace: (module) => {
      usable = [...usable.filter(({ file }) => file !== module.file), module];
      kinds = kindsOf(usable);
      broken = broken.filter(({ file }) => file !== module.file);
    },
    kinds: { has: (kind) => kinds.has(kind) },
    refuse: (file, error) => {
      usable = usable.filter((module) => module.file !== file);
      kinds = kindsOf(usable);
      add(brokenModule(file, error, nameOf(file)));
    },
    report: (file, error) => add(brokenModule(file, error, nameOf(file))),
  };
}

/** For tests: the first problem is thrown. */
export function strictModules(modules: readonly LoadedModule[]): UserModules {
  const refuse = (_file: string, error: SetpointError): never => {
    throw error;
  };
  const log = { error: () => undefined };
  return { ...userModules({ modules, broken: [] }, log), refuse, report: refuse };
}

const mostNamed = 3;

/**
 * Not required for readiness: the API and the other modules work. Callers need no credentials, so
 * the check names the files only; the log and `setpoint doctor` have the reasons.
 */
export function modulesCheck(modules: Pick<UserModules, "broken">): HealthCheck {
  return {
    name: "modules",
    check: () => {
      const files = [...new Set(modules.broken().map(({ file }) => basename(file)))];
      const more = files.length > mostNamed ? [`${files.length - mostNamed} more`] : [];
      const named = [...files.slice(0, mostNamed), ...more].join(", ");
      const problem = `not usable: ${named}; see the log, or run setpoint doctor --module FILE`;
      return Promise.resolve(files.length === 0 ? undefined : problem);
    },
  };
}
