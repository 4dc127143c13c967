// What a run offers to its reconciler besides the run itself, each made elsewhere: durable steps
// and references (the journal), calls of outside systems (breakers), events. All of them work
// through the scope of the run, so that what they write is fenced and stops with the lease. They
// are made when a run first asks for them: a run that needs none pays for none.

import type { Resource } from "../../kernel/resource.ts";
import type { Write } from "../../store/port.ts";
import type { Outcome } from "../outcome.ts";
import type { EnginePorts, RunScope } from "../ports.ts";
import type { Context, Reconciler, Reference } from "../reconciler.ts";
import type { LeaderTask } from "../wakes/leader-tasks.ts";
import type { Listening } from "./superseded.ts";

export interface RunParts {
  steps(scope: RunScope): StepsPart;
  references(scope: RunScope): ReferencesPart;
  /** Listens for what makes the run pointless, until it is told that the run has ended. */
  superseded(scope: RunScope): Listening;
  /** Throws `CallRefused` when the system is not to be called now. */
  outside<T>(
    scope: RunScope,
    system: string,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Never throws and is never waited for. */
  event(scope: RunScope, type: "Normal" | "Warning", reason: string, message: string): void;
  /** Committed in one group with the deletion of the resource: what goes with it. */
  farewell?(scope: RunScope): Promise<readonly Write[]>;
}

export type StepsPart = Pick<Context, "remember" | "perform">;

export interface ReferencesPart {
  get(reference: Reference): Promise<Resource | undefined>;
  /**
   * Called once the reconciler has returned and before its claim is given back, whenever the run
   * used references, waits for others, or waited before. Stores what is referred to (the blockers
   * of a waiting outcome as well) and reads it once more: if it changed since, it asks for another
   * run by a `schedule` with a wake on the resource itself, which the store keeps until the
   * release.
   */
  settle(outcome: Outcome): Promise<void>;
}

/** Runs beside the workers for as long as the engine does: wake-ups by others, adoption. */
export interface Companion {
  /** A reconciler was added to this process, or taken from it. */
  added?(reconciler: Reconciler): void;
  removed?(reconciler: Reconciler): void;
  /** Runs the task while this process is the leader. Returns a function that ends that. */
  lead?(task: LeaderTask): () => void;
  stop(): Promise<void>;
}

export type PartsOf = (ports: EnginePorts) => Partial<RunParts>;
export type CompanionOf = (ports: EnginePorts, owner: string) => Companion;
