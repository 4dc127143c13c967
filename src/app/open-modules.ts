/** The built-in modules of a running process: what they contribute, collected from all of them. */
import type { BuiltInModule, OpenModule, WhyExplainer } from "../contract/module.ts";
import type { HealthCheck, HistoryHolder } from "../contract/module.ts";
import type { OpenPorts, StartPorts } from "../contract/ports.ts";
import type { RoutesOf } from "../contract/route.ts";
import type { Subresource } from "../contract/subresource.ts";
import type { ExtensionEntry } from "../contract/user-module.ts";
import type { AdmissionPlugin } from "../intents/admission/admission.ts";
import { declaredForms } from "./declared-parts.ts";
import type { ModuleForm } from "./declared-parts.ts";

/** Disposing of it frees what the modules opened. */
export interface OpenModules extends AsyncDisposable {
  readonly declared: readonly BuiltInModule[];
  /** Those that this server starts. */
  readonly started: readonly BuiltInModule[];
  /** The second forms of kinds that this server installs. */
  readonly forms: readonly ModuleForm[];
  readonly admission: readonly AdmissionPlugin[];
  readonly subresources: readonly Subresource[];
  /** What each module adds to the REST API. */
  readonly routes: readonly RoutesOf[];
  readonly explainers: readonly WhyExplainer[];
  readonly healthChecks: readonly HealthCheck[];
  /** Of the started modules. */
  readonly historyHolders: readonly HistoryHolder[];
  /** Whether a module reconciles the resources of a kind, in any process. */
  reconciles(kind: string): boolean;
  /** What a started module offers to its surface. */
  offered(module: string): unknown;
  readonly policyOf: NonNullable<OpenModule["policyOf"]>;
  /** Starts them in their order; disposing of the result stops them in the reverse order. */
  start(ports: StartPorts): Promise<AsyncDisposable>;
}

export interface OpenModulesInput {
  readonly modules: readonly BuiltInModule[];
  readonly ports: Omit<OpenPorts, "configuration" | "extensions">;
  readonly extensions: readonly ExtensionEntry[];
  /** The checked sections of the configuration, by their keys. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

export async function openModules(input: OpenModulesInput): Promise<OpenModules> {
  const { modules, ports, extensions, configuration } = input;
  const given = modules.map((module) => {
    const points = new Set(module.extensionPoints?.map(({ name }) => name));
    const own = {
      configuration: configuration[module.configuration?.key ?? ""],
      extensions: extensions.filter(({ point }) => points.has(point)),
    };
    return { module, own, isStarted: module.isStarted?.(own) !== false };
  });
  const all: { name: string; opened: OpenModule; isStarted: boolean }[] = [];
  for (const { module, own, isStarted } of given) {
    const opened = await module.open?.({ ...ports, ...own });
    if (opened !== undefined) all.push({ name: module.name, opened, isStarted });
  }
  const open = all.map(({ opened }) => opened);
  const started = all.filter(({ isStarted }) => isStarted);
  return {
    declared: modules,
    started: given.flatMap(({ module, isStarted }) => (isStarted ? module : [])),
    forms: given.flatMap(({ module, own, isStarted }) =>
      isStarted
        ? declaredForms([module]).filter((each) => each.isInstalled(own.configuration))
        : [],
    ),
    offered: (name) => started.find((each) => each.name === name)?.opened.offered,
    admission: open.flatMap(({ admission = [] }) => admission),
    subresources: open.flatMap(({ subresources = [] }) => subresources),
    routes: open.flatMap(({ routes }) => routes ?? []),
    explainers: open.flatMap(({ explainers = [] }) => explainers),
    healthChecks: open.flatMap(({ healthChecks = [] }) => healthChecks),
    historyHolders: started.flatMap(({ opened }) => opened.history ?? []),
    reconciles: (kind) => started.some(({ opened }) => opened.reconciles?.(kind) === true),
    policyOf: (system) => {
      for (const each of open) {
        const policy = each.policyOf?.(system);
        if (policy !== undefined) return policy;
      }
      return undefined;
    },
    start: async (more) => {
      await using undo = new AsyncDisposableStack();
      for (const { opened } of started) {
        const running = await opened.start?.(more);
        if (running !== undefined) undo.use(running);
      }
      return undo.move();
    },
    async [Symbol.asyncDispose]() {
      for (const each of open.toReversed()) await each.close?.();
    },
  };
}
