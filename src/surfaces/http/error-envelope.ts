// Errors: the surface words an error for its clients, and the operator finds it in the log when it
// is a fault of the server or a failed authentication. Whatever happens, there is one answer.

import { refusalOf } from "../../intents/auth/refusal.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpSurface, SurfaceRequest } from "./surface.ts";
import type { RequestIds } from "./trace.ts";

/** A request as the log describes it. */
export interface RequestSummary {
  readonly surface: string;
  readonly method: string;
  /** Without the query, which may contain secrets. */
  readonly path: string;
  readonly status: number;
  readonly ids: RequestIds;
}

/** A request that has ended, for the request log. */
export interface FinishedRequest extends RequestSummary {
  readonly user: string;
  readonly remoteAddress: string;
  readonly startedMs: number;
}

export interface RequestReports {
  onError(error: unknown, request: RequestSummary): void;
  /** Called for the answers that a surface wants in the log. */
  onAnswer(request: RequestSummary): void;
  onUnauthenticated(reason: string, request: RequestSummary): void;
}

/** Resolves when the error was answered. Rejects when the surface cannot answer at all. */
export async function answerError(
  reports: RequestReports,
  surface: HttpSurface,
  request: SurfaceRequest,
  error: unknown,
): Promise<void> {
  const { exchange } = request;
  if (!exchange.isAnswered) {
    try {
      const sent = surface.envelope(error, request);
      if (sent !== undefined) await sent;
    } catch (failure) {
      reports.onError(failure, summaryOf(surface, request, 500));
      await surface.envelope(failure, request);
    }
  }
  const summary = (): RequestSummary => summaryOf(surface, request, exchange.status);
  const reason = refusalOf(error)?.reason;
  if (reason !== undefined) reports.onUnauthenticated(reason, summary());
  if (surface.isFault(error)) reports.onError(error, summary());
}

export function summaryOf(
  surface: HttpSurface,
  { exchange, parsed }: SurfaceRequest,
  status: number,
): RequestSummary {
  const { method, url } = exchange;
  return { surface: surface.name, method, path: pathOf(url), status, ids: parsed.ids };
}

function pathOf(url: Exchange["url"]): string {
  const [path = ""] = url.split("?", 1);
  return path;
}
