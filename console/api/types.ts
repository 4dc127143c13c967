// The documents of the server, as far as the console reads them.

export type JsonValue = string | number | boolean | null | JsonList | JsonRecord;
export type JsonList = readonly JsonValue[];
export interface JsonRecord {
  readonly [key: string]: JsonValue | undefined;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: JsonRecord;
  readonly status?: JsonRecord & { readonly conditions?: readonly Condition[] & JsonList };
}

export interface ListOf<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}

/** As the read model derives it: docs/reference/rest.md has the table. */
export type ResourceState =
  | "Ready"
  | "Progressing"
  | "Waiting"
  | "Failed"
  | "NotReady"
  | "Deleting"
  | "Paused"
  | "Drifted"
  | "Unknown"
  | "Stored";

export interface KindCount {
  readonly kind: string;
  readonly name: string;
  readonly total: number;
  readonly states: Readonly<Partial<Record<ResourceState, number>>>;
}

export interface Counts {
  readonly revision: number;
  readonly kinds: readonly KindCount[];
}

export interface ProblemGroup {
  readonly kind: string;
  readonly name: string;
  readonly state: ResourceState;
  readonly reason: string;
  readonly count: number;
  readonly message?: string;
  readonly examples: readonly { readonly namespace?: string; readonly name: string }[];
}

export interface Problems {
  readonly revision: number;
  readonly total: number;
  readonly groups: readonly ProblemGroup[];
  readonly omitted?: number;
}

export interface Row {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly revision: number;
  readonly created: string;
  readonly generation?: number;
  readonly state: ResourceState;
  readonly reason?: string;
  readonly columns: Readonly<Record<string, string | number | boolean | null>>;
}

export interface RowColumn {
  readonly key: string;
  readonly title: string;
  readonly type: "text" | "number" | "boolean";
}

export interface RowPage {
  readonly kind: string;
  readonly revision: number;
  readonly columns: readonly RowColumn[];
  readonly items: readonly Row[];
  readonly next?: string;
}

export interface Cause {
  readonly actor?: string;
  readonly surface?: string;
  readonly impersonator?: string;
  readonly traceId?: string;
  readonly correlationId?: string;
}

export interface Change {
  readonly revision: number;
  readonly type: "created" | "updated" | "deleted" | "erased";
  readonly time: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly cause?: Cause;
}

export interface Revision {
  readonly revision: number;
  readonly type: "created" | "updated" | "deleted";
  readonly time: string;
  readonly generation?: number;
  readonly uid?: string;
  readonly cause?: Cause;
  readonly erased?: boolean;
  readonly changed?: readonly string[];
}

export interface FieldChange {
  readonly kind: "add" | "remove" | "replace";
  readonly path: string;
  readonly old?: JsonValue;
  readonly new?: JsonValue;
  readonly isHidden?: boolean;
}

/** One resource in the answer of KIND/NAME/why. */
export interface Explained {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly relation?: string;
  readonly state: string;
  readonly ready?: string;
  readonly message: string;
  readonly details?: readonly string[];
  readonly blockers?: readonly Explained[];
  readonly moreBlockers?: number;
}

export interface Explanation {
  readonly ready: boolean;
  readonly summary: string;
  readonly resource: Explained;
  readonly causes?: readonly {
    readonly apiVersion?: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly message: string;
    readonly details?: readonly string[];
  }[];
}
