// The routes of environments that the console uses.

import type {
  GetEnvironmentsAnswer,
  GetEnvironmentsByIdGraphAnswer,
  GetEnvironmentsByIdLogsAnswer,
  GetOperationsAnswer,
  GetPlansAnswer,
} from "../../src/client/rest-api.ts";
import { endedBy, onceOnly, rest } from "./rest.ts";

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
    await rest.call("getEnvironments", {
      query: { namespace, limit: pageSize },
      ...endedBy(signal),
    }),

  one: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await rest.call("getEnvironmentsById", {
      path: { id },
      query: { namespace },
      ...endedBy(signal),
    }),

  graph: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await rest.call("getEnvironmentsByIdGraph", {
      path: { id },
      query: { namespace },
      ...endedBy(signal),
    }),

  operations: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await rest.call("getOperations", {
      query: { namespace, environment: id, limit: 100 },
      ...endedBy(signal),
    }),

  plans: async ({ namespace, id }: Place, signal?: AbortSignal) =>
    await rest.call("getPlans", {
      query: { namespace, environment: id, limit: 100 },
      ...endedBy(signal),
    }),

  logs: (
    { namespace, id }: Place,
    { resource, after }: { resource: string | undefined; after: number | undefined },
    signal: AbortSignal,
  ) =>
    rest.follow("getEnvironmentsByIdLogs", {
      path: { id },
      query: { namespace, resource, after, follow: true },
      signal,
    }),

  destroy: async (place: Place) => await rest.call("postEnvironmentsByIdDestroy", at(place)),
  deploy: async (place: Place) => await rest.call("postEnvironmentsByIdDeploy", at(place)),
  extend: async (place: Place, seconds: number) =>
    await rest.call("postEnvironmentsByIdExtend", { ...at(place), body: { seconds } }),
  cancel: async (place: Place) =>
    await rest.call("postEnvironmentsByIdCancel", { ...at(place), body: {} }),
  retry: async (place: Place) =>
    await rest.call("postEnvironmentsByIdRetry", { ...at(place), body: {} }),
  rollback: async (place: Place, to: string) =>
    await rest.call("postEnvironmentsByIdRollback", { ...at(place), body: { to } }),
  checkDrift: async (place: Place) =>
    await rest.call("postEnvironmentsByIdCheckDrift", { ...at(place), body: {} }),
  reconcileDrift: async (place: Place) =>
    await rest.call("postEnvironmentsByIdReconcileDrift", { ...at(place), body: {} }),
  approve: async (plan: Place) => await rest.call("postPlansByIdApprove", at(plan)),
} as const;

function at({ namespace, id }: Place) {
  return { path: { id }, query: { namespace }, ...onceOnly() };
}
