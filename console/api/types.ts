// The documents of the server, as far as the console reads them. Those of the REST API are written
// from its OpenAPI document; those of the Kubernetes API are here.

import type {
  GetAuditAnswer,
  GetCountsAnswer,
  GetDiffByKindByNameAnswer,
  GetHistoryByKindByNameAnswer,
  GetProblemsAnswer,
  GetResourcesByKindAnswer,
  PostRollbackByKindByNameAnswer,
} from "../../src/client/rest-api.ts";

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

/** Of a row, and those that pages derive from conditions. */
export type ResourceState = Row["state"] | "Paused" | "Drifted";

export type Counts = GetCountsAnswer;
export type KindCount = Counts["kinds"][number];
export type Problems = GetProblemsAnswer;
export type ProblemGroup = Problems["groups"][number];
export type RowPage = GetResourcesByKindAnswer;
export type RowColumn = RowPage["columns"][number];
export type Row = RowPage["items"][number];
export type Change = GetAuditAnswer["items"][number];
export type Cause = NonNullable<Change["cause"]>;
export type HistoryPage = GetHistoryByKindByNameAnswer;
export type Revision = HistoryPage["revisions"][number];
export type Difference = GetDiffByKindByNameAnswer;
/** `why` is that of a planned change. */
export type FieldChange = Difference["changes"][number] & { readonly why?: string };
export type Rollback = PostRollbackByKindByNameAnswer;

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
