// The routes of environments that the console uses.

import { request, send } from "./client.ts";
import type { JsonRecord, JsonValue } from "./types.ts";

/** An item of /api/v1/environments, operations and plans. */
export interface Item<Spec = JsonRecord, Status = JsonRecord> {
  readonly id: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  readonly generation: number;
  readonly createdAt: string;
  readonly spec: Spec;
  readonly status?: Status;
}

export interface EnvironmentSpec {
  readonly templates: readonly string[];
  readonly displayName?: string;
  readonly description?: string;
  readonly desired?: string;
  readonly approval?: string;
  readonly approvedPlan?: string;
  readonly protected?: boolean;
  readonly parameters?: JsonRecord;
  readonly plannedDestruction?: { readonly at?: string; readonly onDue?: string };
}

export interface EnvironmentStatus {
  readonly phase?: string;
  readonly statusText?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly plannedDestructionAt?: string;
  readonly operation?: string;
  readonly lastOperation?: string;
  readonly resources?: Readonly<Record<string, number>>;
  readonly drift?: {
    readonly state: string;
    readonly checkedAt?: string;
    readonly digest?: string;
  };
  readonly entryPoints?: readonly { readonly name: string; readonly url: string }[];
  readonly transitions?: readonly Transition[];
  readonly deployed?: { readonly operation: string; readonly at: string };
  readonly awaiting?: { readonly plan?: string };
}

export interface Transition {
  readonly at: string;
  readonly phase: string;
  readonly reason?: string;
  readonly operation?: string;
}

export type Environment = Item<EnvironmentSpec, EnvironmentStatus>;

export interface OperationSpec {
  readonly environment: string;
  readonly type: string;
  readonly requestedBy?: string;
  readonly action?: string;
}

export interface OperationStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly progress?: { readonly done: number; readonly of: number; readonly message?: string };
}

export type Operation = Item<OperationSpec, OperationStatus>;

export interface PlannedField {
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly deferred?: string;
  readonly hidden?: boolean;
}

export interface PlannedChange {
  readonly resource: string;
  readonly key: string;
  readonly kind: string;
  readonly action: string;
  readonly fields?: readonly PlannedField[];
  readonly willRun?: boolean;
}

export interface PlanStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly add?: number;
  readonly change?: number;
  readonly remove?: number;
  readonly deferred?: number;
  readonly changes?: readonly PlannedChange[];
  readonly readyAt?: string;
}

export type Plan = Item<JsonRecord, PlanStatus>;

export interface GraphNode {
  readonly id: string;
  readonly type: "resource" | "external";
  readonly key?: string;
  readonly name: string;
  readonly group?: string;
  readonly template?: string;
  readonly target?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly drift?: string;
}

export interface GraphEdge {
  /** The dependant. */
  readonly from: string;
  readonly to: string;
}

export interface DependencyGraph {
  readonly revision: number;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

interface PageOf<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface Place {
  readonly namespace: string;
  readonly id: string;
}

export interface LogChunk {
  readonly type: "output" | "bookmark";
  readonly revision: number;
  readonly resource?: string;
  readonly executor?: string;
  readonly run?: string;
  readonly text?: string;
}

const pageSize = 500;

export const environmentsApi = {
  list: async (namespace: string, signal?: AbortSignal) =>
    await get<PageOf<Environment>>("environments", { namespace, limit: pageSize }, signal),

  one: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<Environment>(`environments/${encodeURIComponent(id)}`, { namespace }, signal),

  graph: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<DependencyGraph>(
      `environments/${encodeURIComponent(id)}/graph`,
      { namespace },
      signal,
    ),

  operations: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<PageOf<Operation>>("operations", { namespace, environment: id, limit: 100 }, signal),

  plans: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<PageOf<Plan>>("plans", { namespace, environment: id, limit: 100 }, signal),

  logs: async (
    { namespace, id }: Place,
    { resource, after }: { resource: string | undefined; after: number | undefined },
    signal: AbortSignal,
  ) =>
    await send(`/api/v1/environments/${encodeURIComponent(id)}/logs`, {
      query: { namespace, resource, after, follow: true },
      accept: "application/x-ndjson",
      signal,
    }),

  act: async ({ namespace, id }: Place, verb: string, body: JsonRecord = {}) =>
    await request<JsonRecord>(`/api/v1/environments/${encodeURIComponent(id)}/${verb}`, {
      method: "POST",
      query: { namespace },
      body,
      headers: { "idempotency-key": crypto.randomUUID() },
    }),

  approve: async ({ namespace, id }: Place) =>
    await request<JsonRecord>(`/api/v1/plans/${encodeURIComponent(id)}/approve`, {
      method: "POST",
      query: { namespace },
      body: {},
      headers: { "idempotency-key": crypto.randomUUID() },
    }),
} as const;

async function get<T>(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  signal?: AbortSignal,
): Promise<T> {
  return await request<T>(`/api/v1/${path}`, {
    query,
    ...(signal === undefined ? {} : { signal }),
  });
}
