// The routes of /api/v1 that the console reads.

import { request, send } from "./client.ts";
import type {
  GetAuditAnswer,
  GetMetricsRecentAnswer,
  GetTimelineAnswer,
} from "../../src/client/rest-api.ts";
import type { Counts, Difference, HistoryPage, Problems, Rollback, RowPage } from "./types.ts";
import type { ResourceAddress } from "../paths.ts";

export interface ReportQuery {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly builtIn?: boolean | undefined;
}

export interface RowQuery {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly filter?: string | undefined;
  readonly labels?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AuditQuery {
  readonly [filter: string]: string | number | undefined;
}

export const insight = {
  counts: async (query: ReportQuery, signal?: AbortSignal) =>
    await get<Counts>("counts", { ...query }, signal),

  problems: async (query: ReportQuery, signal?: AbortSignal) =>
    await get<Problems>("problems", { ...query }, signal),

  rows: async ({ kind, labels, ...query }: RowQuery, signal?: AbortSignal) =>
    await get<RowPage>(
      `resources/${encodeURIComponent(kind)}`,
      { ...query, labelSelector: labels },
      signal,
    ),

  history: async (address: ResourceAddress, cursor?: string, signal?: AbortSignal) =>
    await get<HistoryPage>(
      addressed("history", address),
      { namespace: address.namespace, limit: 50, cursor },
      signal,
    ),

  diff: async (address: ResourceAddress, from?: number, to?: number, signal?: AbortSignal) =>
    await get<Difference>(
      addressed("diff", address),
      { namespace: address.namespace, from, to },
      signal,
    ),

  /** The revision that was shown is the precondition: a newer one is an error. */
  rollback: async (
    address: ResourceAddress,
    options: { readonly to: number; readonly dryRun: boolean; readonly shown?: string },
  ) =>
    await request<Rollback>(`/api/v1/${addressed("rollback", address)}`, {
      method: "POST",
      query: { namespace: address.namespace },
      body: { to: options.to, dryRun: options.dryRun },
      headers: {
        ...(options.shown === undefined ? {} : { "if-match": `"${options.shown}"` }),
        ...(options.dryRun ? {} : { "idempotency-key": crypto.randomUUID() }),
      },
    }),

  audit: async (query: AuditQuery, signal?: AbortSignal) =>
    await get<GetAuditAnswer>("audit", { ...query }, signal),

  operations: async (
    query: { kind?: string; namespace?: string; limit?: number } = {},
    signal?: AbortSignal,
  ) =>
    await request<Operations>("/operations", {
      query: { ...query },
      ...(signal === undefined ? {} : { signal }),
    }),

  recentMetrics: async (signal?: AbortSignal) =>
    await get<RecentMetrics>("metrics/recent", {}, signal),

  timeline: async (query: AuditQuery, signal?: AbortSignal) =>
    await get<TimelinePage>("timeline", { ...query }, signal),

  changes: async (after: number | undefined, signal: AbortSignal) =>
    await send("/api/v1/changes", { query: { after }, accept: "application/x-ndjson", signal }),
} as const;

export type TimelinePage = GetTimelineAnswer;
/** A change, or an Event about a resource. */
export type TimelineEntry = TimelinePage["items"][number];

export interface OperationRun {
  readonly kind: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly what: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly tookMs?: number;
  readonly outcome?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly attempt?: number;
}

export interface OperationQueue {
  readonly kind: string;
  readonly resource: string;
  readonly due: number;
  readonly oldestDueMs?: number;
  readonly workers?: string;
  readonly paused?: readonly { readonly namespace?: string; readonly name: string }[];
}

export interface Operations {
  readonly server: { readonly worker: boolean; readonly name?: string };
  readonly running: readonly OperationRun[];
  readonly recent: readonly OperationRun[];
  readonly queues: readonly OperationQueue[];
  /** How many entries the user may not see. */
  readonly hidden?: number;
}

export type RecentMetrics = GetMetricsRecentAnswer;
export type MetricSeries = RecentMetrics["series"][number];

async function get<T>(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  signal?: AbortSignal,
): Promise<T> {
  return await request<T>(`/api/v1/${path}`, {
    query,
    ...(signal === undefined ? {} : { signal }),
  });
}

function addressed(route: string, { kind, name }: ResourceAddress): string {
  return `${route}/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`;
}
