/**
 * Where the objects of a deployment are. Three implementations: this server in the name of a
 * ServiceAccount, the API of a managed environment, and a recorder in tests. A cluster that pulls
 * has no Target here: its agent runs the same steps with a Target of its own (bundle.ts).
 *
 *  1. A refusal is data. Calls throw when the signal aborts or the claim of the run is lost, and
 *     for programming errors.
 *  2. Every call passes `context.outside`, except for this server.
 *  3. `apply` is a server-side apply by the field manager of names.ts, forced. A dry run changes
 *     nothing and returns the object as it would be.
 *  4. `delete` never deletes another object of the same name.
 *  5. Writes to this server are fenced by the claim of the run and take the path of a client, with
 *     all policies and the guard against escalation.
 */
import type { ListIn } from "../../../acting/object-api.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ObjectReference } from "../object-reference.ts";

export interface Target {
  readonly about: TargetIdentity;
  /** By "GROUP/VERSION/KIND". A kind that is not served is missing. */
  discover(kinds: readonly ObjectKind[]): Promise<FoundKinds | TargetProblem>;
  /** By `referenceKey`. Missing objects have no entry. Lists where that takes fewer calls. */
  read(references: readonly ObjectReference[]): Promise<FoundObjects | TargetProblem>;
  /** Objects of the given kinds that have the label of the deployment. */
  listOwned(
    kinds: readonly ObjectKind[],
    deploymentUid: string,
  ): Promise<FoundObjects | TargetProblem>;
  apply(
    at: ObjectReference,
    object: JsonObject,
    options: ApplyOptions,
  ): Promise<Applied | TargetProblem>;
  delete(
    at: ObjectReference,
    uid: string,
    propagation: "Background" | "Foreground",
  ): Promise<Deleted | TargetProblem>;
}

export interface FoundKinds {
  readonly kind: "kinds";
  readonly scopes: ReadonlyMap<string, KindScope>;
}

export interface FoundObjects {
  readonly kind: "objects";
  readonly objects: ReadonlyMap<string, JsonObject>;
  /** By `referenceKey`: objects that could not be read, such as those of a forbidden kind. */
  readonly problems: ReadonlyMap<string, TargetProblem>;
}

export interface ApplyOptions {
  readonly isDryRun: boolean;
  /** For the hooks of a sync, and after an immutable field was changed with the option Replace. */
  readonly isReplaced?: boolean;
}

export interface ObjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface KindScope {
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Its objects change external systems, so that a deletion of one is held: see plan.ts. */
  readonly isProtected: boolean;
  /** Its objects are those of this kind, in another form: they have its identity. */
  readonly formOf?: ObjectKind;
}

export interface Applied {
  readonly kind: "applied";
  readonly object: JsonObject;
}

/** `isAbsent`: it did not exist. Otherwise the deletion has begun. */
export interface Deleted {
  readonly kind: "deleted";
  readonly isAbsent: boolean;
}

export interface TargetProblem {
  readonly kind: "problem";
  readonly reason:
    | "Forbidden"
    | "Invalid"
    | "Conflict"
    | "NotFound"
    | "KindNotServed"
    | "NamespaceMissing"
    | "Immutable"
    | "PolicyDenied"
    | "EnvironmentNotReady"
    | "Unreachable"
    | "Failed";
  /** Of the server, with the object, and without values of Secrets. */
  readonly message: string;
  /** The same call fails until a user changes something. */
  readonly isFinal: boolean;
}

export interface TargetIdentity {
  readonly kind: "Setpoint" | "Kubernetes" | "Agent";
  /** Empty for Setpoint. */
  readonly environment: string;
  readonly server: string;
  readonly namespace: string;
  readonly serviceAccountName: string;
  /** Of the fields that decide where an object is: an inventory of another one is pruned there. */
  readonly digest: string;
}

export interface Targets {
  /** By references, so that a change of the environment wakes the deployment. */
  open(deployment: Resource, context: Context): Promise<OpenedTarget>;
  /** For an Inventory of an earlier destination. */
  openEarlier(
    identity: TargetIdentity,
    deployment: Resource,
    context: Context,
  ): Promise<OpenedTarget>;
}

export type OpenedTarget =
  | {
      readonly kind: "target";
      readonly target: Target;
      readonly rules: TargetRules;
      /** Of another server. This one has its index of owners. */
      readonly listIn?: ListIn;
    }
  | { readonly kind: "agent"; readonly exchange: BundleExchange; readonly rules: TargetRules }
  | TargetProblem;

/** What the GitOpsPolicies and the environment allow for the objects of the deployment. */
export interface TargetRules {
  readonly identity: TargetIdentity;
  /** For objects that name none. */
  readonly defaultNamespace: string;
  /** Why an object must not be applied or deleted; undefined: it may. */
  readonly refusal: (at: ObjectReference, isNamespaced: boolean) => string | undefined;
}

/** A cluster whose agent pulls. Requests and reports travel in SyncBundles of its namespace. */
export interface BundleExchange {
  /** Stores the request; one that is stored already is not written. */
  send(bundle: Bundle): Promise<void>;
  /**
   * What the agent reported last, by a reference, so that a report wakes the resource of the run.
   * Undefined: nothing, or nothing that can be read.
   */
  report(name: string): Promise<JsonObject | undefined>;
}

export interface Bundle {
  readonly name: string;
  readonly deployment: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly operation: string;
  readonly revision: string;
  readonly action: "Apply" | "Compare" | "Remove";
  readonly payload: JsonObject;
}
