/**
 * A sync that runs or ran, as `status.operationState` stores it. A run of the reconciler reads it,
 * decides the next action (`DecideSync`, pure), performs one wave, stores it and ends, so that a
 * newer commit, a deletion or a pause is seen between waves, and a killed server continues.
 */
import type { Resource } from "../../../kernel/resource.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { SourceRevision } from "../source/source-trees.ts";
import type { Plan, SyncPhase } from "./plan.ts";

export type SyncTrigger = "Automated" | "SelfHeal" | "SyncRun" | "Rollback" | "Deletion";

export interface OperationState {
  /** The name of the Operation: a digest of deployment, generation, revision and trigger. */
  readonly id: string;
  readonly trigger: SyncTrigger;
  /** Empty when no SyncRun requested it. */
  readonly syncRun: string;
  readonly revision: string;
  /** Of the rendered objects: a retry of the same digest does not begin a new history entry. */
  readonly digest: string;
  readonly phase: "Running" | "Terminating" | "Failed" | "Error" | "Succeeded";
  readonly message: string;
  readonly step: OperationStep | undefined;
  readonly results: readonly SyncResult[];
  readonly startedAtMs: number;
  readonly finishedAtMs: number | undefined;
  readonly retryCount: number;
  readonly nextRetryAtMs: number | undefined;
}

export interface OperationStep {
  /** Prune: of a deletion whose first hooks have ended, and whose objects are being deleted. */
  readonly phase: SyncPhase | "Prune";
  readonly wave: number;
  /** When the sync came to it. */
  readonly sinceMs: number;
}

export interface SyncResult {
  readonly at: ObjectReference;
  readonly status: "Synced" | "SyncFailed" | "Pruned" | "PruneSkipped";
  readonly message: string;
  readonly syncPhase: SyncPhase;
  readonly hookPhase?: "Running" | "Terminating" | "Failed" | "Error" | "Succeeded";
}

/** Everything that a decision depends on. */
export interface SyncFacts {
  readonly deployment: Resource;
  readonly source: SourceRevision;
  readonly plan: Plan;
  /** Of the rendered objects. */
  readonly digest: string;
  readonly operation: OperationState | undefined;
  /** Not finished, from the oldest to the newest. */
  readonly syncRuns: readonly WaitingSyncRun[];
  /** Why a sync may not start now. */
  readonly blockers: readonly SyncBlocker[];
  readonly nowMs: number;
}

export interface WaitingSyncRun {
  readonly name: string;
  /** The commit of the SyncRun. */
  readonly revision: string;
}

export interface SyncBlocker {
  readonly kind: "Dependency" | "Window";
  readonly message: string;
  /** Whether a SyncRun waits for it as well. */
  readonly holdsSyncRuns: boolean;
  /** When it may end by itself. */
  readonly untilMs?: number;
}

export type SyncDecision =
  | {
      readonly kind: "start";
      readonly trigger: SyncTrigger;
      readonly revision: string;
      readonly syncRun: string;
      readonly retryCount: number;
    }
  | { readonly kind: "continue"; readonly operation: OperationState }
  | { readonly kind: "terminate"; readonly operation: OperationState; readonly reason: string }
  /** A newer commit, or a changed spec, replaces a sync that does not end. */
  | { readonly kind: "replace"; readonly operation: OperationState; readonly reason: string }
  /** Nothing to do before a change, or before this time. */
  | { readonly kind: "rest"; readonly untilMs: number | undefined; readonly reason: string };

export type DecideSync = (facts: SyncFacts) => SyncDecision;
