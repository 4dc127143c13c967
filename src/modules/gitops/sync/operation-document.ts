/** The stored form of a sync: `status.operationState`. */
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  numberAt,
  objectAt,
  objectsAt,
  presentObjectAt,
  textAt,
} from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withinBytes } from "../bounded.ts";
import { digestOf } from "../digest.ts";
import { gitopsLimits } from "../limits.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { OperationState, OperationStep, SyncResult, SyncTrigger } from "./operation.ts";
import type { SyncPhase } from "./plan.ts";

export function operationDocument(operation: OperationState): JsonObject {
  const { id, trigger, syncRun, revision, digest, step, results, nextRetryAtMs } = operation;
  const { maxStatusResults, maxResultsBytes } = gitopsLimits;
  const sorted = results.toSorted(byImportance).slice(0, maxStatusResults).map(resultDocument);
  const shown = withinBytes(sorted, maxResultsBytes);
  const omitted = results.length - shown.length;
  return {
    operation: { id, trigger, syncRun, revision, digest },
    phase: operation.phase,
    message: shortText(operation.message, gitopsLimits.maxMessageChars),
    step:
      step === undefined
        ? null
        : { phase: step.phase, wave: step.wave, since: timeText(step.sinceMs) },
    syncResult: {
      revision,
      resources: shown,
      omitted: omitted === 0 ? null : omitted,
    },
    startedAt: timeText(operation.startedAtMs),
    finishedAt: operation.finishedAtMs === undefined ? null : timeText(operation.finishedAtMs),
    retryCount: operation.retryCount,
    nextRetryAt: nextRetryAtMs === undefined ? null : timeText(nextRetryAtMs),
  };
}

export function operationIn(status: JsonObject | undefined): OperationState | undefined {
  const state = presentObjectAt(status, "operationState");
  if (state === undefined || textAt(state, "operation", "id") === "") return undefined;
  const request = objectAt(state, "operation");
  const step = presentObjectAt(state, "step");
  return {
    id: textAt(request, "id"),
    trigger: textAt(request, "trigger") as SyncTrigger,
    syncRun: textAt(request, "syncRun"),
    revision: textAt(request, "revision"),
    digest: textAt(request, "digest"),
    phase: textAt(state, "phase") as OperationState["phase"],
    message: textAt(state, "message"),
    step:
      step === undefined
        ? undefined
        : {
            phase: textAt(step, "phase") as OperationStep["phase"],
            wave: numberAt(step, "wave") ?? 0,
            sinceMs: timeAt(step, "since") ?? timeAt(state, "startedAt") ?? 0,
          },
    results: objectsAt(state, "syncResult", "resources").map(resultOf),
    startedAtMs: timeAt(state, "startedAt") ?? 0,
    finishedAtMs: timeAt(state, "finishedAt"),
    retryCount: numberAt(state, "retryCount") ?? 0,
    nextRetryAtMs: timeAt(state, "nextRetryAt"),
  };
}

/** The same work has the same name, so that a killed server does not create a second record. */
export function operationId(about: {
  readonly deploymentUid: string;
  readonly generation: number;
  readonly revision: string;
  readonly digest: string;
  readonly trigger: SyncTrigger;
  readonly syncRun: string;
  readonly retryCount: number;
  /** The sync before it. */
  readonly before: string;
}): string {
  return `operation-${digestOf({ ...about }).slice(0, 32)}`;
}

export function resultDocument({
  at,
  status,
  message,
  syncPhase,
  hookPhase,
}: SyncResult): JsonObject {
  const isShown = ["PreSync", "Sync", "PostSync", "SyncFail"].includes(syncPhase);
  return {
    ...at,
    status,
    message: shortText(message, 500),
    ...(isShown ? { syncPhase } : {}),
    ...(hookPhase === undefined ? {} : { hookType: syncPhase, hookPhase }),
  };
}

export function resultOf(document: JsonObject): SyncResult {
  const hookPhase = textAt(document, "hookPhase");
  const at: ObjectReference = {
    group: textAt(document, "group"),
    version: textAt(document, "version"),
    kind: textAt(document, "kind"),
    namespace: textAt(document, "namespace"),
    name: textAt(document, "name"),
  };
  return {
    at,
    status: textAt(document, "status") as SyncResult["status"],
    message: textAt(document, "message"),
    syncPhase: (textAt(document, "syncPhase") ||
      textAt(document, "hookType") ||
      "Sync") as SyncPhase,
    ...(hookPhase === "" ? {} : { hookPhase: hookPhase as "Running" }),
  };
}

/** A later run needs the results of hooks; people look for failures. */
function byImportance(one: SyncResult, other: SyncResult): number {
  return importance(one) - importance(other);
}

function importance({ hookPhase, status }: SyncResult): number {
  if (hookPhase !== undefined) return 0;
  return status === "SyncFailed" ? 1 : status === "Synced" ? 3 : 2;
}

function timeAt(state: JsonObject, field: string): number | undefined {
  const ms = Date.parse(textAt(state, field));
  return Number.isNaN(ms) ? undefined : ms;
}
