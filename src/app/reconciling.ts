/**
 * Starts the engine of this process, installs the kinds of the modules, and adds their reconcilers
 * where the process is a worker. A process that is not a worker still completes the work on the
 * server's own kinds, and makes due what it accepts for the workers of other processes.
 */
import { hostname } from "node:os";
import type { EnginePort } from "../contract/ports.ts";
import { defaultLeaseMs } from "../engine/engine.ts";
import type { Engine } from "../engine/engine.ts";
import type { SpanPort } from "../engine/reporting/tracer.ts";
import { wakeAll } from "../engine/wakes/wakes.ts";
import {
  isMarkedReconciled,
  markedReconciled,
} from "../intents/admission/reconciled-definitions.ts";
import { changeAsSystem } from "../intents/housekeeping/system-change.ts";
import { keyedWorker } from "../intents/housekeeping/keyed-worker.ts";
import { installKind } from "../intents/install-kind.ts";
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import type { Intents } from "../intents/request.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ControlPlane, Surroundings } from "./control-plane.ts";
import { declaredKinds, quietKinds, reconciledKinds } from "./declared-parts.ts";
import type { EngineConfig } from "./engine-config.ts";
import { kindsOf, systemsOf } from "./load-modules.ts";
import type { LoadedModule } from "./load-modules.ts";
import { mainThreadLoading } from "./module-loading.ts";
import type { ModuleLoading } from "./module-loading.ts";
import { reloadModules } from "./reload-modules.ts";
import type { UserModules } from "./user-modules.ts";
import { wakeUnsettled } from "./wake-unsettled.ts";
import { reportDeletedDefinitions } from "./deleted-definitions.ts";
import { startOwnEngine } from "./own-engine.ts";
import type { OwnEngineInput } from "./own-engine.ts";
import { ownIntentsOf } from "./own-intents.ts";

export interface ReconcilingInput {
  readonly plane: ControlPlane;
  readonly modules: UserModules;
  /** For reloads; left out: on the main thread. */
  readonly loading?: ModuleLoading | undefined;
  readonly config: Omit<EngineConfig, "modules">;
  readonly surroundings: Surroundings;
  readonly log: Logger;
  /** Exports the spans of runs. */
  readonly spans?: SpanPort | undefined;
}

/** Has been started; disposing of it hands back what it holds. */
export interface Reconciling extends AsyncDisposable {
  /** The engine of this process. */
  readonly worker: Worker;
}

export interface Worker extends Pick<Engine, "running" | "recent" | "measure"> {
  /** As claims and statuses name it. */
  readonly name: string;
  /** False where it works on the server's own kinds alone. */
  readonly isWorker: boolean;
  readonly leaseMs: number;
  /** The ids of the kinds that it works on. */
  readonly kinds: ReadonlySet<string>;
}

export async function startReconciling(input: ReconcilingInput): Promise<Reconciling> {
  const { plane, modules, config, log } = input;
  await using undo = new AsyncDisposableStack();
  await installModules(plane.intents, modules, log);
  const usable = modules.usable();
  const reconcilers = usable.flatMap(({ kinds }) => kinds.map(({ reconciler }) => reconciler));
  reportDeletedDefinitions(plane.intents.live, usable, log);
  undo.use(markReconciled(input, modules.kinds));
  const name = `${hostname()}-${input.surroundings.ids.uid()}`;
  const own = undo.use(startOwnEngine(ownEngineInput(input, name)));
  const kinds = new Set(own.kinds);
  const engine = config.isWorker ? own.engine : undefined;
  if (engine !== undefined) {
    const added = addedReconcilers(engine, kinds);
    for (const module of usable) added.use(module);
    if (config.reloadsModules === true) undo.use(reloading(input, added));
    if (config.startsFresh === true) undo.use(wakeAllUnsettled(input));
    log.info({ reconcilers: reconcilers.length }, "reconcilers running");
  }
  const { isWorker, leaseMs = defaultLeaseMs } = config;
  const worker = { name, isWorker, leaseMs, kinds, ...viewOf(own.engine) };
  undo.use(await startBuiltIn(plane, enginePort(own.engine, isWorker, kinds)));
  const running = undo.move();
  return { worker, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

interface AddedReconcilers {
  /** Runs the reconcilers of a module, in the place of those of its earlier version. */
  use(module: LoadedModule): void;
}

function addedReconcilers(engine: Engine, kinds: Set<string>): AddedReconcilers {
  const added = new Map<string, readonly (() => void)[]>();
  return {
    use: ({ file, kinds: entries }) => {
      for (const remove of added.get(file) ?? []) remove();
      const removals = entries.map(({ id, reconciler }) => {
        const remove = engine.add(reconciler);
        kinds.add(id);
        return () => {
          remove();
          kinds.delete(id);
        };
      });
      added.set(file, removals);
    },
  };
}

/** Every resource of a module that was read again is reconciled by the new code. */
function reloading(input: ReconcilingInput, added: AddedReconcilers): AsyncDisposable {
  const { plane, modules, loading = mainThreadLoading, surroundings, log } = input;
  const stop = new AbortController();
  const { timers } = surroundings;
  const watching = reloadModules({
    modules,
    loading,
    timers,
    log,
    use: async (module) => {
      await installKinds(ownIntentsOf(plane.intents), module, log);
      added.use(module);
      for (const { id } of module.kinds) await wakeAll(plane.intents.store, id, stop.signal);
    },
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await watching[Symbol.asyncDispose]();
    },
  };
}

/** Installs the kinds of the built-in modules, then starts the modules. */
async function startBuiltIn(
  { modules, intents, feed }: ControlPlane,
  engine: EnginePort,
): Promise<AsyncDisposable> {
  const ownIntents = ownIntentsOf(intents);
  for (const { kind, module, isReconciled, annotations } of declaredKinds(modules.started)) {
    await installKind(ownIntents, kind, { ...module, isReconciled, annotations });
  }
  for (const { kind, module } of modules.forms) {
    await installKind(ownIntents, kind, { ...module, isForm: true });
  }
  return await modules.start({ feed, intents, ownIntents, engine });
}

function enginePort(engine: Engine, isWorker: boolean, kinds: Set<string>): EnginePort {
  return {
    isWorker,
    lead: (task) => engine.lead(task),
    add: (reconciler) => {
      if (!isWorker) return () => undefined;
      const remove = engine.add(reconciler);
      kinds.add(reconciler.kind);
      return () => {
        remove();
        kinds.delete(reconciler.kind);
      };
    },
  };
}

function viewOf(engine: Engine): Pick<Worker, "running" | "recent" | "measure"> {
  return {
    running: () => engine.running(),
    recent: () => engine.recent(),
    measure: () => engine.measure(),
  };
}

function ownEngineInput(input: ReconcilingInput, owner: string): OwnEngineInput {
  const { plane, modules, config, surroundings, log, spans } = input;
  const { slots, perNamespace, leaseMs, graceMs, startsFresh = false } = config;
  const outside = { systems: systemsOf(modules.usable()), policyOf: plane.modules.policyOf };
  return {
    plane,
    surroundings,
    log,
    spans,
    quietKinds: quietKinds(plane.modules.declared),
    options: {
      owner,
      graceMs,
      startsFresh,
      outside,
      ...(slots === undefined ? {} : { slots }),
      ...(perNamespace === undefined ? {} : { perNamespace }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
    },
  };
}

/** Runs while the server starts, and ends with the engine. */
function wakeAllUnsettled({ plane, modules, log }: ReconcilingInput): AsyncDisposable {
  const stop = new AbortController();
  const waking = (async (): Promise<void> => {
    try {
      for (const kind of [
        ...kindsOf(modules.usable()),
        ...reconciledKinds(plane.modules.started),
      ]) {
        await wakeUnsettled(plane.intents.store, kind, stop.signal);
      }
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ error }, "failed and waiting resources not woken");
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await waking;
    },
  };
}

async function installModules(intents: Intents, modules: UserModules, log: Logger): Promise<void> {
  const ownIntents = ownIntentsOf(intents);
  for (const module of modules.usable()) {
    const { file } = module;
    try {
      await installKinds(ownIntents, module, log);
    } catch (error) {
      // Any other module would meet the same problem of the store.
      if (!isSetpointError(error) || error.code.startsWith("store.")) throw error;
      const message = `the module ${file}: ${error.message}`;
      const details = { ...error.details, file };
      const { suggestion } = error;
      modules.refuse(file, new SetpointError(error.code, message, { details, suggestion }));
    }
  }
}

async function installKinds(
  intents: Intents,
  { name, version, kinds }: LoadedModule,
  log: Logger,
): Promise<void> {
  for (const { id, kind, migrate } of kinds) {
    if (kind === undefined) continue;
    const outcome = await installKind(intents, kind, { name, version }, { migrate });
    const fields = { kind: id, module: name, version, outcome };
    if (outcome === "terminating") log.warn(fields, "definition of a module kind in deletion");
    else log.info(fields, "kind installed");
  }
}

/** After this time, every process has read the changed definition from the log. */
const allKnowMs = 30_000;

/**
 * Annotates definitions whose resources this process reconciles, if a process that does not know
 * the reconciler wrote them. With the annotation, each write of a resource makes it due, in every
 * process.
 */
function markReconciled(
  { plane: { intents }, surroundings: { timers }, log }: ReconcilingInput,
  kinds: UserModules["kinds"],
): AsyncDisposable {
  const stop = new AbortController();
  const plural = "customresourcedefinitions";
  const group = "apiextensions.k8s.io";
  const worker = keyedWorker({
    timers,
    onError: (error, definition) =>
      log.warn({ error, definition }, "annotation of a definition not stored"),
    work: async (name) => {
      const record = intents.live.get({ kind: definitionsKind, namespace: "", name });
      if (record === undefined) return undefined;
      const isMarked = isMarkedReconciled(record.resource);
      if (!isMarked) await changeAsSystem(intents, { group, plural, name, edit: markedReconciled });
      // A process that has not read the annotation yet makes nothing due. So all resources are
      // woken now, and again when every process has read it.
      await wakeAll(intents.store, name, stop.signal);
      return isMarked ? undefined : allKnowMs;
    },
  });
  intents.live.follow(definitionsKind, (definition) => {
    if (definition === undefined || !kinds.has(definition.key.name)) return;
    if (!isMarkedReconciled(definition.resource)) worker.add(definition.key.name);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await worker[Symbol.asyncDispose]();
    },
  };
}
