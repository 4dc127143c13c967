// GET /operations: what this process works on now, what it did lately, and what waits in the queues
// of all processes. For those who may get the path; what they may not get is only counted.
//
//   ?kind=databases.example.com   only this kind (plural and group)
//   ?namespace=team               only this namespace
//   ?limit=20                     entries of each list, at most 500
//   ?all=true                     with the queues in which nothing is

import type { EndedRun } from "../../engine/run/run-history.ts";
import type { RunInfo } from "../../engine/work/workers.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { badRequest } from "../../intents/refusals.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { pausedPath } from "../../kernel/paused.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ListQuery, Store, StoredRecord } from "../../store/port.ts";
import type { PathHandler } from "../../surfaces/kube/api.ts";
import { errorForm } from "../../surfaces/kube/negotiate.ts";
import { sendJson } from "../../surfaces/kube/respond.ts";
import { notAllowed } from "../../surfaces/kube/routing.ts";
import { brokenModuleText } from "../broken-module.ts";
import type { ControlPlane } from "../control-plane.ts";
import type { Worker } from "../reconciling.ts";
import { mayGet, workersFor } from "./observer.ts";
import type { Observed } from "./observer.ts";
import { operationsVersion, placeJson, workJson } from "./why-document.ts";

type Plane = Pick<ControlPlane, "intents" | "rbac"> & Pick<Observed, "isAlone" | "broken">;

const path = "/operations";
const defaultLimit = 20;
const mostShown = 500;

export function operationsPath(plane: Plane, worker: Worker | undefined): PathHandler {
  return async (exchange, info, user) => {
    if (info.path !== path) return false;
    if (info.verb !== "get" && info.verb !== "head") throw notAllowed();
    const form = errorForm(exchange.headers.accept);
    const document = await operationsDocument(plane, worker, { user, ...filterOf(info.query) });
    await sendJson(exchange, { status: 200, form }, document);
    return true;
  };
}

interface Filter {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly limit: number;
  /** Whether empty queues are shown. */
  readonly isAll: boolean;
}

interface Asked extends Filter {
  readonly user: UserInfo;
}

function filterOf(query: URLSearchParams): Filter {
  const text = query.get("limit") ?? String(defaultLimit);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw badRequest("limit must be a positive integer");
  return {
    kind: query.get("kind") ?? undefined,
    namespace: query.get("namespace") ?? undefined,
    limit: Math.min(Number(text), mostShown),
    isAll: query.get("all") === "true",
  };
}

async function operationsDocument(
  plane: Plane,
  worker: Worker | undefined,
  asked: Asked,
): Promise<JsonObject> {
  const nowMs = plane.intents.clock.nowMs();
  const running = sift(plane, asked, worker?.running() ?? []);
  const recent = sift(plane, asked, worker?.recent() ?? []);
  const queues = await queuesJson(plane, worker, asked);
  const hidden = running.hidden + recent.hidden + queues.hidden;
  const unusable = (plane.broken?.() ?? []).slice(0, asked.limit).map(brokenModuleText);
  return {
    kind: "Operations",
    apiVersion: operationsVersion,
    server: worker?.isWorker === true ? { worker: true, name: worker.name } : { worker: false },
    running: running.shown.map((run) => runningJson(plane, run, nowMs)),
    recent: recent.shown.map((run) => endedJson(plane, run)),
    queues: queues.shown,
    ...(unusable.length === 0 ? {} : { unusableModules: unusable }),
    ...(hidden === 0 ? {} : { hidden }),
  };
}

interface Sifted<T> {
  readonly shown: readonly T[];
  readonly hidden: number;
}

/** The items that match the query and that the user may see, up to the limit. */
function sift<T extends { readonly key: ResourceKey }>(
  plane: Plane,
  { user, kind, namespace, limit }: Asked,
  items: readonly T[],
): Sifted<T> {
  const shown: T[] = [];
  let hidden = 0;
  for (const item of items) {
    const { key } = item;
    if (kind !== undefined && key.kind !== kind) continue;
    if (namespace !== undefined && key.namespace !== namespace) continue;
    if (shown.length >= limit) break;
    if (mayGet(plane, user, key)) shown.push(item);
    else hidden += 1;
  }
  return { shown, hidden };
}

async function queuesJson(
  plane: Plane,
  worker: Worker | undefined,
  asked: Asked,
): Promise<Sifted<JsonObject>> {
  const { kinds, store } = plane.intents;
  const reconciled = kinds.all().filter((served) => served.isReconciled || isOwn(served));
  const shown: JsonObject[] = [];
  let hidden = 0;
  for (const id of new Set(reconciled.map((served) => served.id))) {
    if (asked.kind !== undefined && asked.kind !== id) continue;
    const { limit, namespace } = asked;
    const place = namespace === undefined ? {} : { namespace };
    const { due, next } = await store.backlog({ kind: id, limit, ...place });
    const allPaused = await pausedOf(store, { kind: id, limit, ...place });
    // An empty queue is shown to those who ask for it.
    const isIdle = due + next.length + allPaused.length === 0;
    if (isIdle && asked.kind === undefined && !asked.isAll) continue;
    const items = sift(plane, asked, next);
    const paused = sift(plane, asked, allPaused);
    hidden += items.hidden + paused.hidden;
    const oldest = next[0]?.work;
    const isLate = oldest?.claim === undefined && (oldest?.dueInMs ?? 0) < 0;
    shown.push({
      ...nameJson(plane, id),
      workers: workersFor({ worker, isAlone: plane.isAlone }, id),
      due,
      ...(isLate ? { oldestDueMs: -(oldest?.dueInMs ?? 0) } : {}),
      next: items.shown.map(({ key, work }) => Object.assign(placeJson(key), workJson(work))),
      ...(paused.shown.length === 0
        ? {}
        : { paused: paused.shown.map((one) => placeJson(one.key)) }),
    });
  }
  return { shown, hidden };
}

/** Whether the server itself reconciles the kind, without a module. */
function isOwn(served: ServedKind | undefined): boolean {
  return served?.isDueAfter !== undefined;
}

/** Nothing is planned for what is paused, so no queue has it. */
async function pausedOf(
  store: Pick<Store, "list">,
  query: ListQuery,
): Promise<readonly StoredRecord[]> {
  const fields = [{ path: pausedPath, operator: "in", values: ["true"] }] as const;
  return (await store.list({ ...query, fields })).records;
}

function runningJson(plane: Plane, run: RunInfo, nowMs: number): Json {
  const { key, what, startedMs, isAborted } = run;
  return {
    ...nameJson(plane, key.kind),
    ...placeJson(key),
    what,
    startedAt: timeText(startedMs),
    tookMs: Math.max(0, nowMs - startedMs),
    ...(isAborted ? { aborted: true } : {}),
  };
}

function endedJson(plane: Plane, run: EndedRun): Json {
  const { key, what, outcome, reason, message, attempt, startedMs, tookMs } = run;
  return {
    ...nameJson(plane, key.kind),
    ...placeJson(key),
    what,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined || message === "" ? {} : { message }),
    attempt,
    startedAt: timeText(startedMs),
    endedAt: timeText(startedMs + tookMs),
    tookMs,
  };
}

/** As people call the kind, and as commands take it. */
function nameJson({ intents }: Plane, id: string): JsonObject {
  return { kind: intents.kinds.byId(id)?.kind.names.kind ?? id, resource: id };
}
