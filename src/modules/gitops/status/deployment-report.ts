/**
 * The status of a GitOpsDeployment from what a run found. Pure: sync/ gathers the facts. The result
 * is at most `maxStatusBytes` long with any number of objects, and equal facts have an equal result
 * (the same order, no times that change), so that nothing is written when nothing changed.
 */
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { Rendered, RenderRefused } from "../render/renderer.ts";
import type { SourceProblem, SourceRevision } from "../source/source-trees.ts";
import type { Plan } from "../sync/plan.ts";
import type { OperationState } from "../sync/operation.ts";
import type { TargetIdentity, TargetProblem } from "../targets/target.ts";
import type { Health } from "./health.ts";

/** Everything that one run knows. A part that the run did not reach is absent: see `previous`. */
export interface DeploymentFacts {
  readonly deployment: Resource;
  readonly namespaceUid: string;
  readonly nowMs: number;
  readonly source?: SourceRevision | SourceProblem;
  readonly render?: Rendered | RenderRefused;
  readonly target?: TargetIdentity | TargetProblem;
  /** Undefined: the objects were not compared, and sync is Unknown. */
  readonly plan?: Plan;
  readonly objects?: readonly ObjectReport[];
  readonly operation?: OperationState;
  /** The commit of targetRevision, which a pin is compared with. */
  readonly pinnedHead?: string;
  /** The agent of the cluster has not reported yet: what is known stays. */
  readonly isPending?: true;
  readonly inventory?: { readonly shards: number; readonly objects: number };
  readonly waitingFor?: readonly WaitingFor[];
  readonly window?: string;
  readonly webhookUrl?: string;
  /** Problems of other parts, such as an invalid spec. They are shown as they are. */
  readonly problems?: readonly DeploymentProblem[];
}

export interface ObjectReport {
  readonly at: ObjectReference;
  readonly sync: "Synced" | "OutOfSync" | "Unknown";
  readonly health: Health | undefined;
  readonly message?: string;
  readonly isHook?: boolean;
  readonly isPruned?: boolean;
}

export interface WaitingFor {
  readonly name: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Each is a condition. A condition whose problem has ended stays with status False and the reason
 * TYPEResolved; ErrorOccurred stays True while any problem of a user lasts.
 */
export interface DeploymentProblem {
  readonly type:
    | "ErrorOccurred"
    | "ComparisonError"
    | "SyncError"
    | "InvalidSpecError"
    | "DeletionError"
    | "SharedResourceWarning"
    | "RepeatedResourceWarning"
    | "ExcludedResourceWarning"
    | "OrphanedResourceWarning";
  readonly reason: string;
  readonly message: string;
}

/** Merged into the status by the engine. */
export type ReportDeployment = (facts: DeploymentFacts, previous: JsonObject) => JsonObject;
