// The engine of one process: workers, the loop that gives them work, and what runs beside them. It
// may be stopped at any time and then ends within a bound: nothing new is claimed, what waits is
// handed back, what runs may finish for a while and is then told to stop. What does not even then
// is left behind without a lease.

import { ClaimLoop } from "./work/claim-loop.ts";
import { externalPart } from "./external/external.ts";
import type { ExternalOptions } from "./external/external.ts";
import { journalParts } from "./journal/journal-parts.ts";
import type { Companion, CompanionOf, PartsOf, RunParts } from "./run/parts.ts";
import type { EnginePorts } from "./ports.ts";
import type { Reconciler } from "./reconciler.ts";
import type { EndedRun } from "./run/run-history.ts";
import { supersededPart } from "./run/superseded.ts";
import type { LeaderTask } from "./wakes/leader-tasks.ts";
import { Workers } from "./work/workers.ts";
import type { RunInfo } from "./work/workers.ts";

export interface EngineOptions {
  /** Names this process in claims and in status: unique among those that share the store. */
  readonly owner: string;
  /** Reconcilers that run at a time. */
  readonly slots?: number;
  /** Of one namespace at a time, however much is free. */
  readonly perNamespace?: number;
  readonly leaseMs?: number;
  /** How long what runs may go on after `stop`. */
  readonly graceMs?: number;
  /** The most that is claimed ahead of need while runs are short. */
  readonly prefetch?: number;
  /** Ignores the retry delays and permanent failures that earlier processes stored. */
  readonly startsFresh?: boolean;
  /** How systems outside are called, where the defaults do not suit them. */
  readonly outside?: ExternalOptions;
  readonly parts?: PartsOf;
  readonly companions?: readonly CompanionOf[];
}

export interface Engine extends AsyncDisposable {
  /** From now on its kind is reconciled here. Returns what ends that. */
  add(reconciler: Reconciler): () => void;
  /**
   * The task runs in one process of the store at a time, and in this one while it is the leader.
   * Without a companion that leads, such as `wakingCompanion`, it never runs. Returns what ends it.
   */
  lead(task: LeaderTask): () => void;
  running(): readonly RunInfo[];
  /** What ran here lately, the newest first. */
  recent(): readonly EndedRun[];
  /** Brings the numbers up to date that nobody keeps, for who is about to read them. */
  measure(): void;
  stop(): Promise<void>;
}

export const defaultLeaseMs = 30_000;
const defaults = { slots: 64, leaseMs: defaultLeaseMs, graceMs: 20_000, prefetch: 500 };
/** How long runs that were told to stop, and then their result writer, may take. */
export const abortWaitMs = 5_000;

export function startEngine(ports: EnginePorts, options: EngineOptions): Engine {
  const { owner, slots, leaseMs, graceMs, prefetch } = { ...defaults, ...options };
  const { perNamespace = slots } = options;
  const parts: RunParts = { ...defaultParts(ports, options.outside), ...options.parts?.(ports) };
  const workers: Workers = new Workers(ports, parts, {
    owner,
    slots,
    perNamespace,
    leaseMs,
    prefetch,
    startsFresh: options.startsFresh,
    roomMade: (key) => claims.roomMade(key),
  });
  const claims: ClaimLoop = new ClaimLoop({
    ports,
    heartbeat: workers.heartbeat,
    request: () => workers.request(),
    deliver: (claimed, lease) => workers.deliver(claimed, lease),
  });
  const companions = (options.companions ?? []).map((companion) => companion(ports, owner));
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping ??= stopAll({ ports, workers, claims, companions, graceMs });
    await stopping;
  };
  return {
    add: (reconciler) => {
      workers.add(reconciler);
      claims.changed();
      for (const companion of companions) companion.added?.(reconciler);
      return () => {
        workers.remove(reconciler);
        for (const companion of companions) companion.removed?.(reconciler);
      };
    },
    lead: (task) => {
      const ends = companions.map((companion) => companion.lead?.(task));
      return () => {
        for (const end of ends) end?.();
      };
    },
    running: () => workers.running(),
    recent: () => workers.history.recent(),
    measure: () => workers.measure(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Stopping {
  readonly ports: EnginePorts;
  readonly workers: Workers;
  readonly claims: ClaimLoop;
  readonly companions: readonly Companion[];
  readonly graceMs: number;
}

async function stopAll(given: Stopping): Promise<void> {
  const { ports, workers, claims, companions, graceMs } = given;
  const drained = async (): Promise<void> => {
    // A claim under way is still answered, and then handed back.
    const stopped = claims.stop();
    await workers.drain();
    await stopped;
    await workers.drain();
  };
  const ended = Promise.all(
    [drained(), ...companions.map(async (companion) => await companion.stop())].map(
      async (part) => {
        try {
          await part;
        } catch (error) {
          ports.log.error({ error }, "part of the engine failed while stopping");
        }
      },
    ),
  );
  if (!(await within(ports, ended, graceMs))) {
    workers.abortAll();
    await within(ports, ended, abortWaitMs);
  }
  workers.stop();
}

/** Whether it came to its end in time. */
async function within(ports: EnginePorts, ended: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = ports.timers.after(ms, () => resolve(false));
  const isInTime = await Promise.race([promise, ended.then(() => true)]);
  cancel();
  return isInTime;
}

function defaultParts(ports: EnginePorts, options: ExternalOptions | undefined): RunParts {
  const { resources, log } = ports;
  const event: RunParts["event"] = (scope, type, reason, message) => {
    const { key } = scope;
    const recorded = resources.recordEvent({
      key,
      resource: scope.current(),
      type,
      reason,
      message,
    });
    recorded.catch((error: unknown) => log.warn({ error, key, reason }, "event not recorded"));
  };
  return {
    ...journalParts(ports, event),
    ...externalPart(ports, options),
    ...supersededPart(ports),
    event,
  };
}
