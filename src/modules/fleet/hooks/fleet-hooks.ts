// What the module of an author may add to an Offering: functions at named points of the life cycle
// of its instances, and routes. The contract of every function:
//
//   It may run twice, and in another process than the last time, so it must be idempotent.
//   It has a time limit: see hookLimits. A function that exceeds it counts as one that throws.
//   A function that throws changes nothing: the step is repeated with back-off, and the status of
//   the instance names the function and its module. The text of the error is only in the log.
//   Functions of several modules at one point are called in the order of the modules.
//
// `context` is the context of the run, as every reconciler receives it. Its writes are fenced by
// the claim of the instance. Resources that a function reads by `context.references` wake the
// instance. Children, steps and remembered values share their names with those of other modules:
// begin them with the name of your module. The status belongs to the life cycle.

import type { Context } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { OwnRoute } from "./own-route.ts";

/** One entry of `fleet` in the extensions of a module. */
export interface FleetExtension {
  /** The name of the Offering. */
  readonly offering: string;
  readonly hooks?: FleetHooks;
  readonly routes?: readonly OwnRoute[];
}

export interface FleetHooks {
  /**
   * Before a create, or an update of the spec, is stored, for every writer. Returns what is wrong.
   * A function that throws refuses the write.
   */
  readonly admit?: (
    write: InstanceWrite,
  ) => AdmitProblems | undefined | Promise<AdmitProblems | undefined>;
  /**
   * When a cluster is chosen. Gets the clusters that can host the instance, the best first, and
   * returns the ids of those that may, the best first. The others are shown in `why`.
   */
  readonly choose?: (
    choice: ClusterChoice,
    context: Context,
  ) => readonly string[] | Promise<readonly string[]>;
  /** In the phase preparing, when the preparations of the Offering are ready. */
  readonly prepare?: StepHook;
  /** When the agent reports that the instance is ready, before the instance is shown as ready. */
  readonly provisioned?: StepHook;
  /** In each run of a ready instance: after every change, and about every ten minutes. */
  readonly ready?: StepHook;
  /** Before the agent suspends the instance. */
  readonly suspend?: StepHook;
  /** Before the agent resumes the instance. */
  readonly resume?: StepHook;
  /** When the agent has removed the instance, before its record is written. */
  readonly remove?: StepHook;
}

/** Without a result, the life cycle continues. */
export type StepHook = (
  about: HookedInstance,
  context: Context,
) => HookResult | undefined | void | Promise<HookResult | undefined | void>;

export type HookResult =
  /** The step is repeated then, or when a resource changes that the function read. */
  | { readonly kind: "wait"; readonly reason: string; readonly afterMs?: number }
  /**
   * In `prepare` and `provisioned` the instance fails with this reason, which its owner reads. At
   * every other point it counts as "wait".
   */
  | { readonly kind: "fail"; readonly reason: string };

/** A copy: changes of it have no effect. */
export interface HookedInstance {
  readonly offering: string;
  readonly organisation: string;
  /** The id of the cluster, when the instance has one. */
  readonly cluster: string | undefined;
  readonly instance: Resource;
}

export interface InstanceWrite {
  readonly operation: "create" | "update";
  readonly offering: string;
  readonly organisation: string;
  readonly instance: Resource;
  /** Undefined for a creation. */
  readonly old: Resource | undefined;
  /** The user that sent the request. */
  readonly user: string;
}

export type AdmitProblems = readonly AdmitProblem[];

export interface AdmitProblem {
  /** Such as "spec.parameters.size". */
  readonly field: string;
  /** What is wrong, and what to do. The caller reads it. */
  readonly message: string;
}

export interface ClusterChoice extends HookedInstance {
  readonly candidates: readonly ClusterCandidate[];
}

export interface ClusterCandidate {
  readonly cluster: string;
  /** Why the cluster has its rank. */
  readonly reason: string;
}
