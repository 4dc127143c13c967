/**
 * The engine in this process: installs the kinds of the modules, and runs their reconcilers where
 * the process is a worker. A process that is none still installs and wakes, so that what it accepts
 * is done by those that are.
 */
import { hostname } from "node:os";
import { defaultLeaseMs, startEngine } from "../engine/engine.ts";
import type { Engine } from "../engine/engine.ts";
import type { EnginePorts } from "../engine/ports.ts";
import { createTracer } from "../engine/reporting/tracer.ts";
import { wakeAll } from "../engine/wakes/wakes.ts";
import { wakingCompanion } from "../engine/wakes/waking-companion.ts";
import { admissionChain } from "../intents/admission/admission.ts";
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
import { openClients } from "../modules/connect/http/clients.ts";
import type { FollowStream } from "../modules/connect/http/event-stream.ts";
import type { OpenWire } from "../modules/connect/http/exchange.ts";
import type { Logger } from "../telemetry/log.ts";
import { connectionPolicies, startConnecting } from "./connect/connecting.ts";
import type { ConnectingInput } from "./connect/connecting.ts";
import { planner } from "./connect/planner.ts";
import type { Planner } from "./connect/planner.ts";
import type { ControlPlane, Surroundings } from "./control-plane.ts";
import type { EngineConfig } from "./engine-config.ts";
import { EngineEvents } from "./engine-events.ts";
import { engineResources } from "./engine-resources.ts";
import { connectHooksOf, kindsOf, systemsOf } from "./load-modules.ts";
import type { LoadedModule } from "./load-modules.ts";
import { wakeUnsettled } from "./look-anew.ts";
import { tellOfLostDefinitions } from "./lost-definitions.ts";

export interface ReconcilingInput {
  readonly plane: ControlPlane;
  readonly modules: readonly LoadedModule[];
  readonly config: Omit<EngineConfig, "modules">;
  readonly surroundings: Surroundings;
  readonly log: Logger;
  /** How services are reached, where a test is the service. */
  readonly openWire?: OpenWire;
  /** How their events are followed, where a test tells of them. */
  readonly followStream?: FollowStream;
}

/** Has been started; disposing of it hands back what it holds. */
export interface Reconciling extends AsyncDisposable {
  /** The workers of this process; undefined when it has none. */
  readonly worker: Worker | undefined;
  /** Looks ahead, for what is kept in services. */
  readonly planner: Planner;
}

export interface Worker extends Pick<Engine, "running" | "recent" | "measure"> {
  /** As claims and statuses name it. */
  readonly name: string;
  readonly leaseMs: number;
  /** The ids of the kinds that it works on. */
  readonly kinds: ReadonlySet<string>;
}

export async function startReconciling(input: ReconcilingInput): Promise<Reconciling> {
  const { plane, modules, config, log } = input;
  await using undo = new AsyncDisposableStack();
  await installModules(plane.intents, modules, log);
  const reconcilers = modules.flatMap(({ kinds }) => kinds.map(({ reconciler }) => reconciler));
  tellOfLostDefinitions(plane.intents.live, modules, log);
  undo.use(markReconciled(input, kindsOf(modules)));
  let worker: Worker | undefined;
  let engine: Engine | undefined;
  const { openWire } = input;
  const clients = undo.use(
    openClients({ ...input.surroundings, ...(openWire === undefined ? {} : { openWire }) }),
  );
  const kinds = new Set(kindsOf(modules));
  if (config.isWorker) {
    const name = `${hostname()}-${input.surroundings.ids.uid()}`;
    const events = undo.use(new EngineEvents({ ...input.plane, ...input.surroundings, log }));
    const started = undo.use(startWorker(input, name, events));
    engine = started;
    for (const reconciler of reconcilers) started.add(reconciler);
    if (config.looksAnew === true) undo.use(lookAnew(input));
    log.info({ reconcilers: reconcilers.length }, "reconcilers running");
    const { leaseMs = defaultLeaseMs } = config;
    worker = { name, leaseMs, kinds, ...viewOf(started) };
  }
  undo.use(await startConnecting({ ...input, engine, clients, ...connectOf(modules, kinds) }));
  const running = undo.move();
  const hooks = connectHooksOf(modules);
  const looking = planner({ plane, surroundings: input.surroundings, clients, hooks });
  return { worker, planner: looking, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function connectOf(
  modules: readonly LoadedModule[],
  kinds: Set<string>,
): Pick<ConnectingInput, "taken" | "hooks" | "began"> {
  return {
    taken: kindsOf(modules),
    hooks: connectHooksOf(modules),
    began: (kind) => {
      kinds.add(kind);
      return () => void kinds.delete(kind);
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

function startWorker(
  { plane, modules, config, surroundings, log }: ReconcilingInput,
  owner: string,
  events: EngineEvents,
): Engine {
  const { intents, meter } = plane;
  const { slots, perNamespace, leaseMs, graceMs, looksAnew = false } = config;
  const ports: EnginePorts = {
    store: intents.store,
    resources: engineResources({
      intents,
      recordEvent: (event) => Promise.resolve(events.record(event)),
    }),
    ...surroundings,
    log,
    tracer: createTracer({ clock: surroundings.clock, log, meter }),
    meter,
  };
  return startEngine(ports, {
    owner,
    graceMs,
    looksAnew,
    outside: { systems: systemsOf(modules), policyOf: connectionPolicies(intents.live) },
    companions: [wakingCompanion],
    ...(slots === undefined ? {} : { slots }),
    ...(perNamespace === undefined ? {} : { perNamespace }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
}

/** Goes on beside the start; ended with the engine. */
function lookAnew({ plane, modules, log }: ReconcilingInput): AsyncDisposable {
  const stop = new AbortController();
  const waking = (async (): Promise<void> => {
    try {
      for (const kind of kindsOf(modules)) {
        await wakeUnsettled(plane.intents.store, kind, stop.signal);
      }
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ error }, "what failed or waits could not be woken");
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await waking;
    },
  };
}

/** Nobody's policy may keep a server from starting. */
async function installModules(
  intents: Intents,
  modules: readonly LoadedModule[],
  log: Logger,
): Promise<void> {
  const unhindered = { ...intents, admission: admissionChain([]) };
  for (const { file, name, version, kinds } of modules) {
    for (const { id, kind } of kinds) {
      if (kind === undefined) continue;
      try {
        const outcome = await installKind(unhindered, kind, { name, version });
        log.info({ kind: id, module: name, version, outcome }, "kind installed");
      } catch (error) {
        if (!isSetpointError(error)) throw error;
        throw new SetpointError(error.code, `the module ${file}: ${error.message}`, {
          cause: error,
          details: { ...error.details, file },
          suggestion: error.suggestion,
        });
      }
    }
  }
}

/** Every process has followed the log by then. */
const allKnowMs = 30_000;

/** Says of definitions that others make that their resources are reconciled, once they appear. */
function markReconciled(
  { plane: { intents }, surroundings: { timers }, log }: ReconcilingInput,
  kinds: ReadonlySet<string>,
): AsyncDisposable {
  const stop = new AbortController();
  const plural = "customresourcedefinitions";
  const group = "apiextensions.k8s.io";
  const worker = keyedWorker({
    timers,
    onError: (error, definition) => log.warn({ error, definition }, "definition not marked"),
    work: async (name) => {
      const record = intents.live.get({ kind: definitionsKind, namespace: "", name });
      if (record === undefined) return undefined;
      const isMarked = isMarkedReconciled(record.resource);
      if (!isMarked) await changeAsSystem(intents, { group, plural, name, edit: markedReconciled });
      // What was written by those who did not know yet is woken, now and once all know.
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
