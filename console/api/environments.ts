// The routes of environments that the console uses.

import type {
  GetEnvironmentsAnswer,
  GetEnvironmentsByIdGraphAnswer,
  GetEnvironmentsByIdLogsAnswer,
  GetOperationsAnswer,
  GetPlansAnswer,
} from "../../src/client/rest-api.ts";
import { request, send } from "./client.ts";
import type { JsonRecord } from "./types.ts";

export type EnvironmentPage = GetEnvironmentsAnswer;
export type Environment = EnvironmentPage["items"][number];
export type EnvironmentStatus = NonNullable<Environment["status"]>;
export type Transition = NonNullable<EnvironmentStatus["transitions"]>[number];
export type OperationPage = GetOperationsAnswer;
export type Operation = OperationPage["items"][number];
export type PlanPage = GetPlansAnswer;
export type Plan = PlanPage["items"][number];
export type PlanStatus = NonNullable<Plan["status"]>;
export type PlannedChange = NonNullable<PlanStatus["changes"]>[number];
export type PlannedField = NonNullable<PlannedChange["fields"]>[number];
export type DependencyGraph = GetEnvironmentsByIdGraphAnswer;
export type GraphNode = DependencyGraph["nodes"][number];
export type GraphEdge = DependencyGraph["edges"][number];
export type LogChunk = GetEnvironmentsByIdLogsAnswer;

export interface Place {
  readonly namespace: string;
  readonly id: string;
}

const pageSize = 500;

export const environmentsApi = {
  list: async (namespace: string, signal?: AbortSignal) =>
    await get<EnvironmentPage>("environments", { namespace, limit: pageSize }, signal),

  one: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<Environment>(`environments/${encodeURIComponent(id)}`, { namespace }, signal),

  graph: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<DependencyGraph>(
      `environments/${encodeURIComponent(id)}/graph`,
      { namespace },
      signal,
    ),

  operations: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<OperationPage>("operations", { namespace, environment: id, limit: 100 }, signal),

  plans: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await get<PlanPage>("plans", { namespace, environment: id, limit: 100 }, signal),

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
