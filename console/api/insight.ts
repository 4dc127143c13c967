// The routes of /api/v1 that the console reads about all kinds.

import type {
  GetMetricsRecentAnswer,
  GetTimelineAnswer,
  Operations as Routes,
} from "../../src/client/rest-api.ts";
import { request } from "./client.ts";
import { endedBy, onceOnly, rest } from "./rest.ts";
import type { ResourceAddress } from "../paths.ts";

export type ReportQuery = Routes["getCounts"]["query"];
export type NameQuery = Routes["getNames"]["query"];
export type AuditQuery = Routes["getAudit"]["query"];
export type TimelineQuery = Routes["getTimeline"]["query"];

export interface RowQuery extends Omit<Routes["getResourcesByKind"]["query"], "labels"> {
  readonly kind: string;
  /** A selector of labels. */
  readonly labels?: string | undefined;
}

export const insight = {
  counts: async (query: ReportQuery, signal?: AbortSignal) =>
    await rest.call("getCounts", { query, ...endedBy(signal) }),

  names: async (query: NameQuery, signal?: AbortSignal) =>
    await rest.call("getNames", { query, ...endedBy(signal) }),

  problems: async (query: ReportQuery, signal?: AbortSignal) =>
    await rest.call("getProblems", { query, ...endedBy(signal) }),

  rows: async ({ kind, labels, ...query }: RowQuery, signal?: AbortSignal) =>
    await rest.call("getResourcesByKind", {
      path: { kind },
      query: { ...query, labelSelector: labels },
      ...endedBy(signal),
    }),

  history: async ({ namespace, ...path }: ResourceAddress, cursor?: string, signal?: AbortSignal) =>
    await rest.call("getHistoryByKindByName", {
      path,
      query: { namespace, limit: 50, cursor },
      ...endedBy(signal),
    }),

  diff: async (
    { namespace, ...path }: ResourceAddress,
    from?: number,
    to?: number,
    signal?: AbortSignal,
  ) =>
    await rest.call("getDiffByKindByName", {
      path,
      query: { namespace, from, to },
      ...endedBy(signal),
    }),

  /** The revision that was shown is the precondition: a newer one is an error. */
  rollback: async (
    { namespace, ...path }: ResourceAddress,
    {
      to,
      dryRun,
      shown,
    }: { readonly to: number; readonly dryRun: boolean; readonly shown?: string },
  ) =>
    await rest.call("postRollbackByKindByName", {
      path,
      query: { namespace },
      body: { to, dryRun },
      headers: {
        ...(shown === undefined ? {} : { "if-match": `"${shown}"` }),
        ...(dryRun ? {} : onceOnly().headers),
      },
    }),

  audit: async (query: AuditQuery, signal?: AbortSignal) =>
    await rest.call("getAudit", { query, ...endedBy(signal) }),

  /** Of all servers; it is not a route of the REST API. */
  operations: async (
    query: { kind?: string; namespace?: string; limit?: number } = {},
    signal?: AbortSignal,
  ) => await request<Operations>("/operations", { query: { ...query }, ...endedBy(signal) }),

  recentMetrics: async (signal?: AbortSignal) =>
    await rest.call("getMetricsRecent", endedBy(signal)),

  timeline: async (query: TimelineQuery, signal?: AbortSignal) =>
    await rest.call("getTimeline", { query, ...endedBy(signal) }),

  changes: (after: number | undefined, signal: AbortSignal) =>
    rest.follow("getChanges", { query: { after }, signal }),
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
