// What is known about a resource that somebody asks about, and what can be said about it. Types
// only: hold.ts, deletion.ts and diagnose.ts make one of the other, explain.ts goes on from there.

import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { WorkState } from "../../store/port.ts";

export interface Subject {
  readonly key: ResourceKey;
  readonly resource: Resource;
  readonly work: WorkState | undefined;
  /** How long it has been running, where that is in this process. */
  readonly runningMs: number | undefined;
  /** How long another process that holds it has not said that it lives; undefined: it is ours. */
  readonly silentMs: number | undefined;
  /** Whether a reconciler handles its kind, in this process or another. */
  readonly isReconciled: boolean;
  /** Who runs that reconciler, as far as this process knows. */
  readonly workers: KnownWorkers;
  /** Why modules of this process that may have that reconciler cannot be used. */
  readonly unusable?: readonly string[];
  /** Whether its kind is one of the server's own, which are what they are once stored. */
  readonly isBuiltIn: boolean;
  /** Whether every server reconciles its kind, and the engine writes nothing into its status. */
  readonly isOwn?: boolean;
  /** Whether a part of the server brought its kind along, and nobody reconciles it. */
  readonly isRecord?: boolean;
  /** Of a record: what can be said while nobody has reported on it; it is fine if unsaid. */
  readonly unreported?: string;
  /** While it is deleted: who needs it until then, by finalizers that the server knows. */
  readonly holders?: readonly Holder[];
  /** The resources that name it as an owner. */
  readonly dependents: readonly ResourceKey[];
  /** While a namespace or a definition is deleted: what is left of it. */
  readonly content: readonly ResourceKey[];
  /** Its namespace, or its definition, when that is being deleted. */
  readonly endings: readonly ResourceKey[];
}

export interface Holder {
  readonly finalizer: string;
  readonly message: string;
  readonly keys: readonly ResourceKey[];
}

/** "none" only where this process knows of all that share the store. */
export type KnownWorkers = "here" | "none" | "unknown";

/** How kinds are called. */
export interface KindNames {
  /** Of a kind id; undefined when it is not served. */
  named(kind: string): NamedKind | undefined;
}

export interface NamedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export type State =
  | "Ready"
  | "Working"
  | "Waiting"
  | "Failing"
  | "GivenUp"
  | "HeldOff"
  | "Paused"
  | "LeftAlone"
  | "Queued"
  | "InProgress"
  | "NotReady"
  /** A reconciler handles its kind, and no server runs that now. */
  | "Unattended"
  | "Unhandled"
  | "Deleting";

/** What keeps the work on a resource from being done, be it a reconciliation or a removal. */
export interface Hold {
  readonly state: State;
  /** The rest of a sentence that begins with the name of the resource. */
  readonly message: string;
  /** What else helps, a line each. */
  readonly details: readonly string[];
  /** Others that may be the cause. */
  readonly suspects: readonly Suspect[];
}

export interface Diagnosis extends Hold {
  readonly ready: "True" | "False" | "Unknown";
  /** It was ready as it was wanted before, and is being brought to what is wanted now. */
  readonly isBehind?: boolean;
}

export interface Suspect {
  readonly relation: Relation;
  readonly key: ResourceKey;
  /** What of it must be true; without one it is enough that it is there. */
  readonly condition?: string;
  /** It was there when it was looked at, and not as it was needed. */
  readonly isThere?: boolean;
}

export type Relation =
  /** Named as a blocker by the reconciler. */
  | "WaitsFor"
  /** Exists because of the resource, and holds it while it is not ready. */
  | "Owns"
  /** Must be gone before the resource can go. */
  | "Outlives"
  /** The namespace or the definition, which is being deleted. */
  | "LivesIn";
