/**
 * What a sync would do. Pure: the same input has the same plan, here, in `setpoint gitops diff` and
 * in the agent of a pulling cluster. Effects are in execute.ts.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { ManifestPlace, RenderedObject } from "../render/renderer.ts";
import type { KindScope } from "../targets/target.ts";

export interface PlanInput extends DesiredInput {
  /** By `referenceKey`. */
  readonly live: ReadonlyMap<string, JsonObject>;
  /** Results of a dry run by `referenceKey`; without one, an object counts as changed. */
  readonly predicted: ReadonlyMap<string, JsonObject>;
  /** By `referenceKey`: why a live object is unknown, or why the dry run refused an object. */
  readonly refused: ReadonlyMap<string, string>;
  /** Namespaces of objects that the target does not have. */
  readonly missingNamespaces: ReadonlySet<string>;
  /** Whether another deployment, which is not in deletion, has this uid. */
  readonly isOther: (deploymentUid: string) => boolean;
  readonly inventory: readonly InventoryEntry[];
}

/** What decides which objects are wanted. */
export interface DesiredInput {
  readonly deploymentUid: string;
  readonly rendered: readonly RenderedObject[];
  readonly defaultNamespace: string;
  /** By "GROUP/VERSION/KIND". */
  readonly scopes: ReadonlyMap<string, KindScope>;
  readonly refusal: (at: ObjectReference, isNamespaced: boolean) => string | undefined;
  readonly rules: PlanRules;
  /** Ends the names of hooks with generateName: equal in each run of one sync. */
  readonly hookSuffix: string;
}

/** From `spec.syncPolicy`, `spec.ignoreDifferences` and what requested the sync. */
export interface PlanRules {
  readonly prune: boolean;
  readonly pruneLast: boolean;
  readonly allowEmpty: boolean;
  readonly createNamespace: boolean;
  readonly onError: "Stop" | "Continue";
  readonly confirmedPrune: string;
  readonly ignore: readonly IgnoreRule[];
  /** Hooks run in a sync, not in a self-heal. */
  readonly hooks: boolean;
  /** The steps are the hooks of this phase alone: the deployment is being deleted. */
  readonly deletion?: DeletionPhase;
}

export interface IgnoreRule {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly jsonPointers: readonly string[];
  readonly managers: readonly string[];
}

export interface InventoryEntry {
  readonly at: ObjectReference;
  /** Empty until the object is applied for the first time. */
  readonly uid: string;
  readonly digest: string;
  readonly wave: number;
  /** The phases of a hook; empty for an object that is kept. */
  readonly hook: string;
  readonly pruneOptions: string;
}

export interface Plan {
  /** In the order in which they run. */
  readonly steps: readonly PlanStep[];
  /** After a failure in `steps`: the hooks of SyncFail. */
  readonly onFailure: readonly PlanStep[];
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly PlannedPrune[];
  /** Deletions that wait for a confirmation; they are not in `steps`. */
  readonly held: HeldPrunes | undefined;
  readonly problems: readonly PlanProblem[];
  readonly isSynced: boolean;
  readonly counts: {
    readonly create: number;
    readonly update: number;
    readonly unchanged: number;
    readonly prune: number;
  };
}

export type SyncPhase = "PreSync" | "Sync" | "PostSync" | "SyncFail" | DeletionPhase;
export type DeletionPhase = "PreDelete" | "PostDelete";

/** One wave of one phase. The next one begins when its objects are healthy and its hooks ended. */
export interface PlanStep {
  readonly phase: SyncPhase;
  readonly wave: number;
  /** Deleted first, in reverse order. */
  readonly prunes: readonly PlannedPrune[];
  readonly objects: readonly PlannedObject[];
}

export interface PlannedObject {
  readonly at: ObjectReference;
  /** As it is applied: with its namespace, the label and the tracking annotation. */
  readonly object: JsonObject;
  readonly from: ManifestPlace;
  readonly digest: string;
  readonly action: "create" | "update" | "unchanged";
  /** Paths that differ. Values of Secrets and of hidden fields are never here. */
  readonly changes: readonly PlannedChange[];
  readonly wave: number;
  readonly hook: PlannedHook | undefined;
  readonly isReplaced: boolean;
  /** Created because objects need it. It does not belong to the deployment. */
  readonly isNamespace?: boolean;
  readonly pruneOptions: string;
}

export interface PlannedChange {
  /** As in status.containers[0].image. */
  readonly path: string;
  readonly kind: "added" | "changed" | "removed";
  /** Short texts; undefined where the value is secret. */
  readonly from?: string;
  readonly to?: string;
}

export interface PlannedHook {
  readonly phases: readonly SyncPhase[];
  readonly deletion: readonly ("HookSucceeded" | "HookFailed" | "BeforeHookCreation")[];
}

export interface PlannedPrune {
  readonly at: ObjectReference;
  /** Only the object with this uid is deleted. */
  readonly uid: string;
  readonly wave: number;
  readonly propagation: "Background" | "Foreground";
  /** It is not deleted: an option says so, or pruning is off. */
  readonly isSkipped: boolean;
  /** The deletion has begun. */
  readonly isDeleting: boolean;
}

/**
 * All: nothing would be left. Many: more than the share and the number of limits.ts. Protected: an
 * object changes external systems when it is deleted.
 */
export interface HeldPrunes {
  readonly reason: "All" | "Many" | "Protected";
  /** Over the sorted references with their uids. A confirmation of another set has no effect. */
  readonly hash: string;
  readonly prunes: readonly PlannedPrune[];
}

export interface PlanProblem {
  readonly kind:
    | "KindNotServed"
    | "Refused"
    /** The dry run refused the object. */
    | "Invalid"
    | "NamespaceMissing"
    /** Two manifests are the same object. */
    | "Repeated"
    /** Another deployment has the object. */
    | "Shared"
    | "InvalidOption"
    | "TooMany";
  readonly at: ObjectReference | undefined;
  readonly from: ManifestPlace | undefined;
  readonly message: string;
}
