// The status endpoints of an EnvironmentResource: called while it is ready, at their interval. They
// do not decide whether it is ready, because its dependants may start before it answers; they are a
// part of the validation and the health of its Environment.

import type { HttpClient } from "../../../adapters/http/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { callEndpoints, resultJson } from "../environment/endpoints.ts";
import { environmentLimits } from "../limits.ts";
import type { Entry } from "../templates/entry.ts";
import { endpointsOf, linkBudget, renderLinks } from "../templates/links.ts";
import { linkValues } from "./report.ts";
import type { Report } from "./report.ts";
import type { ResourceRun } from "./run.ts";

export interface MemberHealth {
  /** Null: there are none, or it is not ready. */
  readonly endpoints: Json;
  /** 0: not again. */
  readonly againMs: number;
}

export async function memberHealth(
  { resource, context, ports }: ResourceRun,
  entry: Entry,
  report: Report,
): Promise<MemberHealth> {
  const isStated = objectsAt(entry.json, "statusEndpoints").length > 0;
  if (!isStated || report.ready.status !== "True") return { endpoints: null, againMs: 0 };
  const values = linkValues(resource, objectAt(report.status, "outputs"));
  const list = endpointsOf(renderLinks(entry.endpoints, values, linkBudget()));
  const before = objectsAt(resource.status, "statusEndpoints");
  return await polled(list, before, { context, http: ports.http });
}

export interface Polling {
  readonly context: Pick<Context, "clock" | "signal">;
  readonly http: HttpClient;
}

export interface PolledEndpoints {
  readonly endpoints: readonly JsonObject[];
  readonly againMs: number;
}

/** The endpoints, called again when their interval has passed. */
export async function polled(
  list: readonly JsonObject[],
  before: readonly JsonObject[],
  { context, http }: Polling,
): Promise<PolledEndpoints> {
  const nowMs = context.clock.nowMs();
  const paceMs = paceOf(list, before);
  const checked = before.map((each) => Date.parse(textAt(each, "checkedAt")));
  const leftMs = checked.length < list.length ? 0 : Math.min(...checked) + paceMs - nowMs;
  if (leftMs > 0) return { endpoints: before, againMs: leftMs };
  const results = await callEndpoints(list, { http, signal: context.signal, nowMs, before });
  const endpoints = results.map(resultJson);
  return { endpoints, againMs: paceOf(list, endpoints) };
}

/** An endpoint that does not answer is called more often. */
function paceOf(list: readonly JsonObject[], results: readonly JsonObject[]): number {
  const isHealthy = results.length > 0 && results.every((each) => each["healthy"] === true);
  const usual = isHealthy
    ? environmentLimits.healthIntervalSeconds
    : environmentLimits.validationIntervalSeconds;
  const stated = list.map((each) => numberAt(each, "intervalSeconds") ?? usual);
  return Math.min(usual, ...stated) * 1_000;
}
