// A module is what an author hands to a server: kinds, each with the reconciler that makes it real.
// One file is one module; see docs/decisions/0006.

import type { ArmFaceOfKind } from "../kernel/arm-face.ts";
import type { ConnectHooks } from "../kernel/connect-hooks.ts";
import { kindId } from "../kernel/kind.ts";
import type { KindInput } from "../kernel/kind.ts";
import type { SystemPolicy } from "./outside/outside.ts";
import type { Reconciler } from "./reconciler.ts";

export interface Module {
  /** A name of its own, in lower case; it is written on the definitions that the module makes. */
  readonly name: string;
  /**
   * Raise it whenever a kind changes: the definitions of a higher version are never taken back by
   * a server that still has a lower one. Of two with the same version, the last to start counts.
   */
  readonly version?: number;
  /** May be empty for a module that has only hooks. */
  readonly kinds: readonly ModuleKind[];
  /** How systems outside are called, by the names that reconcilers give them. */
  readonly systems?: Readonly<Record<string, Partial<SystemPolicy>>>;
  /** What it changes in how objects are kept in services; see docs/reference/connect.md. */
  readonly connect?: readonly ConnectHooks[];
}

export interface ModuleKind {
  /** What the kind is like, or the id of one whose definition somebody else makes. */
  readonly kind: KindInput | string;
  /** Its `kind` may be left out: it is that of this entry. */
  readonly reconciler: ModuleReconciler;
  /** How the kind is offered through the Azure Resource Manager; see docs/decisions/0007. */
  readonly arm?: ArmFaceOfKind;
}

export type ModuleReconciler = Omit<Reconciler, "kind"> & Partial<Pick<Reconciler, "kind">>;

/** For the types alone: what is wrong with a module is told when it is loaded. */
export function defineModule(module: Module): Module {
  return module;
}

export function idOfModuleKind({ kind }: Pick<ModuleKind, "kind">): string {
  return typeof kind === "string" ? kind : kindId(kind);
}

/**
 * The reconciler of an entry, under the id of its kind. It may be an object, or of a class with
 * methods, getters and private fields: its methods are called on it, and its options are read once,
 * as they were judged.
 */
export function reconcilerOf(entry: ModuleKind): Reconciler {
  const { reconciler: given } = entry;
  const { version, resyncMs, timeoutMs, concurrency, retry } = given;
  return {
    kind: idOfModuleKind(entry),
    reconcile: given.reconcile.bind(given),
    ...(given.remove === undefined ? {} : { remove: given.remove.bind(given) }),
    ...(given.observe === undefined ? {} : { observe: given.observe.bind(given) }),
    ...(version === undefined ? {} : { version }),
    ...(resyncMs === undefined ? {} : { resyncMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(retry === undefined ? {} : { retry }),
  };
}
