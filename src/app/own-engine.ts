/**
 * The engine of this process with the work that every server does for its own kinds
 * (housekeeping). It runs whatever roles the process has. Reconcilers of modules are added
 * to it where the process is a worker.
 */
import { EngineEvents } from "../bridge/engine-events.ts";
import { engineResources } from "../bridge/engine-resources.ts";
import { startEngine } from "../engine/engine.ts";
import type { Engine, EngineOptions } from "../engine/engine.ts";
import type { EnginePorts } from "../engine/ports.ts";
import { createTracer } from "../engine/reporting/tracer.ts";
import type { SpanPort } from "../engine/reporting/tracer.ts";
import { wakingCompanion } from "../engine/wakes/waking-companion.ts";
import { housekeeping } from "../housekeeping/housekeeping.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ControlPlane, Surroundings } from "./control-plane.ts";

export interface OwnEngineInput {
  readonly plane: ControlPlane;
  readonly surroundings: Surroundings;
  readonly log: Logger;
  /** Exports the spans of runs. */
  readonly spans?: SpanPort | undefined;
  readonly options: Omit<EngineOptions, "companions" | "parts">;
  /** Kinds of which a change of the status alone wakes no referrer. */
  readonly quietKinds?: readonly string[];
}

export interface OwnEngine extends AsyncDisposable {
  readonly engine: Engine;
  /** The ids of the kinds that it reconciles without any module. */
  readonly kinds: readonly string[];
}

export function startOwnEngine(input: OwnEngineInput): OwnEngine {
  const { plane, surroundings, log, spans, options, quietKinds = [] } = input;
  const { intents, meter } = plane;
  const events = new EngineEvents({ ...plane, ...surroundings, log });
  const ports: EnginePorts = {
    store: intents.store,
    resources: engineResources({
      intents,
      quietKinds,
      recordEvent: (event) => Promise.resolve(events.record(event)),
      warn: (fields, message) => log.warn(fields, message),
    }),
    ...surroundings,
    log,
    authorLog: log.runs ?? log,
    tracer: createTracer({ clock: surroundings.clock, log, meter, spans }),
    meter,
  };
  const engine = startEngine(ports, { ...options, companions: [wakingCompanion] });
  const { timers } = surroundings;
  const { reconcilers, leaderTasks } = housekeeping({ ...plane, timers, log });
  for (const reconciler of reconcilers) engine.add(reconciler);
  for (const task of leaderTasks) engine.lead(task);
  return {
    engine,
    kinds: reconcilers.map(({ kind }) => kind),
    [Symbol.asyncDispose]: async () => {
      await engine.stop();
      await events[Symbol.asyncDispose]();
    },
  };
}
