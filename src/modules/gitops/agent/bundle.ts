/**
 * What a server requests of the agent of a cluster, and what the agent reports. A request is the
 * whole input of a comparison, with the sync that runs; a report is its plan without the objects,
 * and the progress of the sync. Pure. What a report states is checked: an agent is not trusted.
 */
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { trackingAnnotation } from "../names.ts";
import { referenceKey } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { RenderedObject } from "../render/renderer.ts";
import type { ObjectReport } from "../status/deployment-report.ts";
import { healthStatuses } from "../kinds/kind-parts.ts";
import type { Health } from "../status/health.ts";
import { trackedBy, trackingId } from "../sync/desired.ts";
import type { OperationState, OperationStep } from "../sync/operation.ts";
import {
  operationDocument,
  operationIn,
  resultDocument,
  resultOf,
} from "../sync/operation-document.ts";
import type { HeldPrunes, InventoryEntry, Plan, PlannedObject } from "../sync/plan.ts";
import type { PlannedPrune, PlanProblem, PlanRules, SyncPhase } from "../sync/plan.ts";
import type { StepsReport } from "../sync/steps.ts";

export interface CompareRequest {
  readonly kind: "Compare";
  readonly deploymentUid: string;
  readonly rendered: readonly RenderedObject[];
  readonly inventory: readonly InventoryEntry[];
  readonly rules: PlanRules;
  readonly defaultNamespace: string;
  readonly hookSuffix: string;
  readonly waveTimeoutSeconds: number | undefined;
  /** Why an object must not be applied, by "true" or "false" (namespaced) and `referenceKey`. */
  readonly refusals: Readonly<Record<string, string>>;
  /** `healthChecks` of the deployment, then the rules of HealthRules. */
  readonly health: readonly JsonObject[];
  readonly operation: OperationState | undefined;
}

export interface RemoveRequest {
  readonly kind: "Remove";
  readonly deploymentUid: string;
  readonly entries: readonly InventoryEntry[];
}

export type BundleRequest = CompareRequest | RemoveRequest;

export function requestDocument(request: BundleRequest): JsonObject {
  if (request.kind === "Remove") return plain(request);
  const { operation, waveTimeoutSeconds, ...rest } = request;
  return {
    ...plain(rest),
    ...(waveTimeoutSeconds === undefined ? {} : { waveTimeoutSeconds }),
    // Without the progress, which the agent reports.
    ...(operation === undefined
      ? {}
      : {
          operation: operationDocument({ ...operation, message: "", step: undefined, results: [] }),
        }),
  };
}

export function requestIn(document: JsonObject): BundleRequest {
  if (textAt(document, "kind") === "Remove") return document as unknown as RemoveRequest;
  const operation = operationIn({ operationState: document["operation"] ?? {} });
  const waveTimeoutSeconds = numberAt(document, "waveTimeoutSeconds");
  return { ...(document as unknown as CompareRequest), operation, waveTimeoutSeconds };
}

export interface CompareReport {
  readonly kind: "Compare";
  /** Of the request without its sync. */
  readonly about: string;
  readonly plan: Plan;
  readonly objects: readonly ObjectReport[];
  /** Own objects with their uids, as far as the server needs them. */
  readonly live: ReadonlyMap<string, JsonObject>;
  readonly sync: { readonly id: string; readonly report: StepsReport } | undefined;
}

export interface RemoveReport {
  readonly kind: "Remove";
  readonly left: number;
  readonly message: string;
}

export interface ProblemReport {
  readonly kind: "Problem";
  readonly about: string;
  readonly message: string;
}

export type BundleReport = CompareReport | RemoveReport | ProblemReport;

export function reportDocument(report: BundleReport, deploymentUid: string): JsonObject {
  if (report.kind !== "Compare") return plain(report);
  const { about, plan, objects, live, sync } = report;
  return {
    kind: "Compare",
    about,
    plan: planDocument(plan, live, deploymentUid),
    objects: objects.map((each) => plain(each)),
    ...(sync === undefined ? {} : { sync: { id: sync.id, ...stepsDocument(sync.report) } }),
  };
}

/** Undefined for what no agent of this version writes. */
export function reportIn(document: JsonObject, deploymentUid: string): BundleReport | undefined {
  const about = textAt(document, "about");
  const message = textAt(document, "message");
  switch (textAt(document, "kind")) {
    case "Problem":
      return { kind: "Problem", about, message };
    case "Remove":
      return { kind: "Remove", left: numberAt(document, "left") ?? 1, message };
    case "Compare": {
      const plan = objectAt(document, "plan");
      const sync = presentObjectAt(document, "sync");
      return {
        kind: "Compare",
        about,
        plan: planIn(plan),
        objects: objectsAt(document, "objects").map(objectReportIn),
        live: liveIn(objectsAt(plan, "objects"), deploymentUid),
        sync: sync === undefined ? undefined : { id: textAt(sync, "id"), report: stepsIn(sync) },
      };
    }
    default:
      return undefined;
  }
}

function planDocument(
  { objects, prunes, held, problems, isSynced, counts }: Plan,
  live: ReadonlyMap<string, JsonObject>,
  deploymentUid: string,
): JsonObject {
  return {
    objects: objects.map(({ at, digest, action, wave, hook, pruneOptions, isNamespace }) => {
      const object = live.get(referenceKey(at));
      const isOwn = object !== undefined && trackedBy(at, object) === deploymentUid;
      return {
        at: plain(at),
        digest,
        action,
        wave,
        pruneOptions,
        ...(isOwn ? { uid: textAt(object, "metadata", "uid") } : {}),
        ...(hook === undefined ? {} : { hook: plain(hook) }),
        ...(isNamespace === true ? { isNamespace } : {}),
      };
    }),
    prunes: prunes.map((each) => plain(each)),
    ...(held === undefined ? {} : { held: plain(held) }),
    problems: problems.map(({ kind, at, message }) => ({
      kind,
      message,
      ...(at === undefined ? {} : { at: plain(at) }),
    })),
    isSynced,
    counts: { ...counts },
  };
}

function planIn(document: JsonObject): Plan {
  const held = presentObjectAt(document, "held");
  const count = (name: string): number => numberAt(document, "counts", name) ?? 0;
  return {
    steps: [],
    onFailure: [],
    objects: objectsAt(document, "objects").map(plannedIn),
    prunes: objectsAt(document, "prunes").map(pruneIn),
    held: held === undefined ? undefined : heldIn(held),
    problems: objectsAt(document, "problems").map((each): PlanProblem => {
      const at = presentObjectAt(each, "at");
      return {
        kind: textAt(each, "kind") as PlanProblem["kind"],
        at: at === undefined ? undefined : referenceIn(at),
        from: undefined,
        message: textAt(each, "message"),
      };
    }),
    isSynced: isTrueAt(document, "isSynced"),
    counts: {
      create: count("create"),
      update: count("update"),
      unchanged: count("unchanged"),
      prune: count("prune"),
    },
  };
}

function plannedIn(document: JsonObject): PlannedObject {
  const action = textAt(document, "action");
  const hook = presentObjectAt(document, "hook");
  return {
    at: referenceIn(objectAt(document, "at")),
    object: {},
    from: { file: "", line: 0 },
    digest: textAt(document, "digest"),
    action: action === "create" || action === "unchanged" ? action : "update",
    changes: [],
    wave: numberAt(document, "wave") ?? 0,
    hook:
      hook === undefined
        ? undefined
        : { phases: textsAt(hook, "phases") as readonly SyncPhase[], deletion: [] },
    isReplaced: false,
    pruneOptions: textAt(document, "pruneOptions"),
    ...(isTrueAt(document, "isNamespace") ? { isNamespace: true } : {}),
  };
}

function pruneIn(document: JsonObject): PlannedPrune {
  return {
    at: referenceIn(objectAt(document, "at")),
    uid: textAt(document, "uid"),
    wave: numberAt(document, "wave") ?? 0,
    propagation: textAt(document, "propagation") === "Foreground" ? "Foreground" : "Background",
    isSkipped: isTrueAt(document, "isSkipped"),
    isDeleting: isTrueAt(document, "isDeleting"),
  };
}

function heldIn(document: JsonObject): HeldPrunes {
  const reason = textAt(document, "reason");
  return {
    reason: reason === "All" || reason === "Many" ? reason : "Protected",
    hash: textAt(document, "hash"),
    prunes: objectsAt(document, "prunes").map(pruneIn),
  };
}

function objectReportIn(document: JsonObject): ObjectReport {
  const sync = textAt(document, "sync");
  const health = presentObjectAt(document, "health");
  return {
    at: referenceIn(objectAt(document, "at")),
    sync: sync === "Synced" || sync === "OutOfSync" ? sync : "Unknown",
    health: health === undefined ? undefined : healthIn(health),
    ...(isTrueAt(document, "isPruned") ? { isPruned: true } : {}),
  };
}

function healthIn(document: JsonObject): Health {
  const stated = textAt(document, "status");
  const status = healthStatuses.find((each) => each === stated) ?? "Unknown";
  return { status, message: textAt(document, "message") };
}

/** As much of the live objects as an inventory needs. */
function liveIn(
  objects: readonly JsonObject[],
  deploymentUid: string,
): ReadonlyMap<string, JsonObject> {
  const live = new Map<string, JsonObject>();
  for (const each of objects) {
    const uid = textAt(each, "uid");
    if (uid === "") continue;
    const at = referenceIn(objectAt(each, "at"));
    const annotations = { [trackingAnnotation]: trackingId(deploymentUid, at) };
    live.set(referenceKey(at), { metadata: { uid, annotations } });
  }
  return live;
}

function stepsDocument(report: StepsReport): JsonObject {
  const { state, message, results, step, applied, removed } = report;
  return {
    state,
    message,
    results: results.map(resultDocument),
    ...(step === undefined ? {} : { step: { ...step } }),
    applied: Object.fromEntries([...applied].map(([key, value]) => [key, { ...value }])),
    removed: [...removed],
  };
}

export function stepsIn(document: JsonObject): StepsReport {
  const step = presentObjectAt(document, "step");
  const state = textAt(document, "state");
  const applied = objectAt(document, "applied");
  return {
    state: state === "failed" || state === "done" ? state : "running",
    message: textAt(document, "message"),
    results: objectsAt(document, "results").map(resultOf),
    step:
      step === undefined
        ? undefined
        : {
            phase: textAt(step, "phase") as OperationStep["phase"],
            wave: numberAt(step, "wave") ?? 0,
            sinceMs: numberAt(step, "sinceMs") ?? 0,
          },
    applied: new Map(
      Object.keys(applied).map((key) => [
        key,
        { uid: textAt(applied, key, "uid"), digest: textAt(applied, key, "digest") },
      ]),
    ),
    removed: new Set(textsAt(document, "removed")),
    settled: new Map(),
  };
}

function referenceIn(document: JsonObject): ObjectReference {
  return {
    group: textAt(document, "group"),
    version: textAt(document, "version"),
    kind: textAt(document, "kind"),
    namespace: textAt(document, "namespace"),
    name: textAt(document, "name"),
  };
}

/** Without fields that are undefined. */
function plain(value: object): JsonObject {
  const entries = Object.entries(value) as [string, Json | undefined][];
  return Object.fromEntries(
    entries.flatMap(([key, inner]) => (inner === undefined ? [] : [[key, plainValue(inner)]])),
  );
}

function plainValue(value: Json): Json {
  if (isJsonArray(value)) return value.map(plainValue);
  return isJsonObject(value) ? plain(value) : value;
}
