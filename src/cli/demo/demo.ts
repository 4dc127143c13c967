/**
 * The demo of `setpoint dev --demo`, which `npm start` runs: decision 32. It is installed once,
 * into a data folder that is new, through the API of the server. Later starts run its services.
 * Nothing here can stop the server: what fails is one line of the output.
 */
import { mkdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { checkedSections } from "../../app/config-sections.ts";
import type { ServeConfig } from "../../app/config.ts";
import { sectionsOf } from "../../app/declared-parts.ts";
import { builtInModules } from "../../app/modules.ts";
import { systemTimers } from "../../kernel/timers.ts";
import { apiClient } from "../client/api-client.ts";
import { clientConfig } from "../client/kubeconfig-file.ts";
import { applyFiles } from "./apply-files.ts";
import { readDemoPlan } from "./demo-plan.ts";
import type { DemoPlan, DemoService } from "./demo-plan.ts";
import { createRepository, hasGit } from "./demo-repository.ts";
import { freePort, startService } from "./demo-services.ts";
import { chooseDemo, demoFolder, writeState } from "./demo-state.ts";
import type { DemoState } from "./demo-state.ts";

export interface DemoFlags {
  readonly demo?: boolean;
  readonly empty?: boolean;
}

export interface Demo {
  /** Of the server. It opens the folder of repositories, unless the user has opened another. */
  readonly config: ServeConfig;
  readonly runs: boolean;
  /** Runs the demo in front of the server, and prints lines. Resolves when it is ready. */
  readonly start: (server: DemoServer) => Promise<void>;
}

export interface DemoServer {
  readonly kubeconfig: string;
  readonly print: (line: string) => void;
  readonly stopping: AbortSignal;
}

/** Called before the server opens its store. Undefined: nothing runs, and nothing is said. */
export async function openDemo(config: ServeConfig, flags: DemoFlags): Promise<Demo | undefined> {
  const isWanted = flags.demo === true && flags.empty !== true;
  const choice = chooseDemo(config, { isWanted, isWorker: config.engine.isWorker });
  switch (choice.kind) {
    case "none":
      return undefined;
    case "refused":
      return refusal(config, choice.reason);
    case "new": {
      const state = await newState(readDemoPlan());
      writeState(config, state);
      return demoOf(config, state);
    }
    case "kept":
      return demoOf(config, choice.state);
    case "damaged": {
      const { file, state } = choice;
      const effect =
        state === undefined
          ? "the demo is installed again, over your changes of it"
          : "its copy is used";
      const used = state ?? (await newState(readDemoPlan()));
      return demoOf(config, used, `${file} is damaged: ${effect}`);
    }
    default:
      return choice satisfies never;
  }
}

function demoOf(config: ServeConfig, state: DemoState, warning?: string): Demo {
  const plan = readDemoPlan();
  return {
    config: withRepositories(config, plan),
    runs: true,
    start: async (server) => {
      if (warning !== undefined) server.print(`  demo     ${warning}`);
      await run({ plan, config, server }, state, warning !== undefined);
    },
  };
}

function refusal(config: ServeConfig, reason: string): Demo {
  return { config, runs: false, start: async ({ print }) => print(`  demo     ${reason}`) };
}

function withRepositories(config: ServeConfig, { repository }: DemoPlan): ServeConfig {
  const { section, key } = repository;
  const values = config.sections[section] ?? {};
  if (values[key] !== undefined) return config;
  const folder = join(demoFolder(config), "git");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const given = { ...config.sections, [section]: { ...values, [key]: folder } };
  return { ...config, sections: checkedSections(sectionsOf(builtInModules), given, {}) };
}

async function newState({ services }: DemoPlan): Promise<DemoState> {
  const ports: Record<string, number> = {};
  for (const { name, port } of services) ports[name] = await freePort(port);
  return { isInstalled: false, hasRepository: false, ports };
}

interface Run {
  readonly plan: DemoPlan;
  readonly config: ServeConfig;
  readonly server: DemoServer;
}

async function run(at: Run, state: DemoState, isRepaired: boolean): Promise<void> {
  const { print, stopping } = at.server;
  for (const service of at.plan.services) await runService(at, service, state);
  try {
    const installed = state.isInstalled ? state : await install(at, state);
    if (isRepaired) writeState(at.config, installed);
    printTries(at, installed);
  } catch (error) {
    if (stopping.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    print(`  demo     not complete: ${reason}; the next start continues`);
  }
}

async function runService(
  { config, server }: Run,
  service: DemoService,
  state: DemoState,
): Promise<void> {
  const port = state.ports[service.name] ?? service.port;
  try {
    await startService(service, port, demoFolder(config));
  } catch {
    const reason = `port ${port} is taken, so the service ${service.name} does not run`;
    server.print(`  demo     ${reason}`);
  }
}

async function install({ plan, config, server }: Run, before: DemoState): Promise<DemoState> {
  const hasRepository = await hasGit();
  if (hasRepository) await createRepository(plan.repository, join(demoFolder(config), "git"));
  else server.print("  demo     there is no git on this machine, so the demo has no repository");
  const ports = new Map(
    plan.services.map(({ name, port, replaces }) => [replaces, before.ports[name] ?? port]),
  );
  const { kubeconfig } = server;
  const applier = {
    client: apiClient(clientConfig({ kubeconfig, data: config.dataFolder })),
    timers: systemTimers,
    namespace: plan.namespace,
    ports,
    stopping: server.stopping,
  };
  for (const { files, needsRepository } of plan.parts) {
    if (hasRepository || !needsRepository) await applyFiles(applier, files);
  }
  const state = { ...before, isInstalled: true, hasRepository };
  writeState(config, state);
  return state;
}

function printTries({ plan, config, server }: Run, { hasRepository }: DemoState): void {
  const names = {
    COMMAND: program(),
    DEMO: shortPath(demoFolder(config)),
    EXAMPLES: shortPath(fileURLToPath(new URL("../../../examples/demo", import.meta.url))),
  };
  const tries = plan.tries.filter((each) => hasRepository || !each.needsRepository);
  server.print("  try      in a second terminal, after the line with KUBECONFIG:");
  for (const [index, { title, command }] of tries.entries()) {
    const typed = command.replaceAll(
      /\b(?:COMMAND|DEMO|EXAMPLES)\b/g,
      (name) => names[name as keyof typeof names],
    );
    server.print(`           ${index + 1}. ${title}`);
    server.print(`              ${typed}`);
  }
}

/** What the user types in this folder to run this program. */
function program(): string {
  const file = fileURLToPath(import.meta.url);
  const isClone = file.endsWith(".ts");
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  return isClone ? shortPath(join(root, "bin", "setpoint")) : basename("setpoint");
}

/** Relative when it is below the current folder. Quoted for a shell, when that is needed. */
function shortPath(path: string): string {
  const inside = relative(process.cwd(), path);
  const short = inside === "" || inside.startsWith("..") ? path : inside;
  return /^[\w./@%+=:,-]+$/.test(short) ? short : `'${short.replaceAll("'", String.raw`'\''`)}'`;
}
