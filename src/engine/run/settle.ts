// What a run makes of the status, and when to look again. Pure: the same resource and outcome give
// the same document, so a settled resource that is looked at again is not written again. The
// engine owns `observedGeneration`, the conditions Ready and Synced, and `reconcile`; whatever an
// outcome says about those is dropped, and the rest of the status is the author's.

import { timeText } from "../../kernel/clock.ts";
import { findCondition, setCondition } from "../../kernel/conditions.ts";
import type { Condition } from "../../kernel/conditions.ts";
import { equalJson, getOwn, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { numberAt } from "../../kernel/json-read.ts";
import { applyMergePatch } from "../../kernel/merge-patch.ts";
import type { Random } from "../../kernel/random.ts";
import type { Resource } from "../../kernel/resource.ts";
import { backoffMs, defaultRetry, spreadMs } from "./backoff.ts";
import { begunAfterRefusal } from "./start-record.ts";
import { readyByRun } from "./first-status.ts";
import type { Blocker, Failed, Outcome, Readiness } from "../outcome.ts";
import type { RunPlan } from "./plan.ts";
import type { ReconcileStatus } from "../ports.ts";
import type { Reconciler } from "../reconciler.ts";
import { attemptsOf, conditionsOf, readyType, reconcileStatusOf, statusOf } from "./status.ts";
import { deletingReason, syncedType, waitingReason } from "./status.ts";
import { checkStatusFields } from "./status-fields.ts";

/** What is known about a run besides its outcome. */
export interface RunFacts {
  readonly what: RunPlan["what"];
  /** Of the document that the reconciler was given, which may be older than the newest. */
  readonly generation: number;
  readonly request: string | undefined;
  readonly note: string | undefined;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly worker: string;
  /** Whether it looked at others, so that a change of those may change what comes of it. */
  readonly looked?: boolean;
  /** How often it was claimed since a claim on it last ended with a word. */
  readonly claims?: number;
  /** What would be stored of a status: without what the kind has no place for. */
  readonly stored?: (status: JsonObject) => JsonObject;
}

export interface Settled {
  readonly status: JsonObject;
  readonly isChanged: boolean;
  /** Undefined: not before something wakes it. */
  readonly releaseAfterMs: number | undefined;
  /** The store keeps counting claims, because the document does not count failures. */
  readonly keepsAttempts?: boolean;
}

const defaultResyncMs = 10 * 3_600_000;
/** Waiting ends by a wake-up; this only bounds what a lost one could cost. */
const waitingBackstopMs = 600_000;
/** Whatever an outcome asks for, it does not keep a worker busy without a pause. */
const soonestMs = 100;
/** Kubernetes takes no longer ones. */
const maxMessageChars = 32_768;
const maxBlockers = 100;
const longestDelayMs = 365 * 24 * 3_600_000;

export function settle(
  resource: Resource,
  outcome: Outcome,
  facts: RunFacts,
  reconciler: Reconciler,
  nowMs: number,
  random: Random,
): Settled {
  const before = statusOf(resource);
  const attempts = attemptsAfter(outcome, attemptsOf(before, facts.generation));
  const releaseAfterMs = delayAfter(outcome, facts, attempts, reconciler, random);
  const merged = outcome.status === undefined ? before : mergedStatus(before, outcome.status);
  const conditions = conditionsAfter(before, merged, outcome, facts, nowMs);
  const reconcile = reconcileAfter(before, outcome, facts, {
    attempts,
    nextAttempt: outcome.kind === "failed" ? timeAfter(nowMs, releaseAfterMs) : undefined,
    version: reconciler.version ?? 0,
    begun: isRefused(outcome) ? begunAfterRefusal(resource, facts.claims ?? 1) : undefined,
    succeeded: succeededAfter(before, outcome, conditions, facts, nowMs),
  });
  const next: MutableJsonObject = { ...merged };
  next["observedGeneration"] = facts.generation;
  next["conditions"] = conditions;
  next["reconcile"] = reconcile;
  if (isUnchanged(before, next, facts)) return { status: before, isChanged: false, releaseAfterMs };
  next["reconcile"] = { ...reconcile, lastRun: lastRunOf(outcome, facts) };
  return { status: next, isChanged: true, releaseAfterMs };
}

/** Merges an author's fields into a status, without those that the engine owns. */
export function mergedStatus(before: JsonObject, fields: JsonObject): JsonObject {
  checkStatusFields(fields);
  const merged = applyMergePatch(before, fields) as MutableJsonObject;
  for (const key of ["observedGeneration", "reconcile"]) {
    if (!Object.hasOwn(fields, key)) continue;
    const own = getOwn(before, key);
    if (own === undefined) delete merged[key];
    else merged[key] = own;
  }
  if (Object.hasOwn(fields, "conditions")) {
    const isOwn = ({ type }: Condition): boolean => type === readyType || type === syncedType;
    const own = conditionsOf(before).filter(isOwn);
    merged["conditions"] = [...own, ...conditionsOf(merged).filter((each) => !isOwn(each))];
  }
  return merged;
}

/** The condition that says why nothing was done, for a resource that was not run. */
export function settleUntouched(
  resource: Resource,
  why: { readonly status: "True" | "False"; readonly reason: string; readonly message: string },
  nowMs: number,
): Settled {
  const before = statusOf(resource);
  const conditions = setCondition(conditionsOf(before), { type: syncedType, ...why }, nowMs);
  const isChanged = conditions !== getOwn(before, "conditions");
  const status = isChanged ? { ...before, conditions } : before;
  return { status, isChanged, releaseAfterMs: undefined };
}

/**
 * When to run again, for a reconciler that owns the status of its kind. The store counts its failed
 * runs: `claims` is the number of claims since the last run that did not fail.
 */
export function settleUnwritten(
  outcome: Outcome,
  claims: number,
  { resyncMs = 0, ...reconciler }: Reconciler,
  random: Random,
): Pick<Settled, "releaseAfterMs" | "keepsAttempts"> {
  const what = { what: "reconcile" } as const;
  const releaseAfterMs = delayAfter(outcome, what, claims, { ...reconciler, resyncMs }, random);
  return { releaseAfterMs, keepsAttempts: outcome.kind === "failed" };
}

/**
 * What is not stored is no change: a run that says something its kind has no place for would be
 * written again each time. Asked only when nothing of the engine's own has changed, as it costs.
 */
function isUnchanged(before: JsonObject, next: JsonObject, { stored }: RunFacts): boolean {
  if (equalJson(before, next)) return true;
  const isOurs = (key: string): boolean => !equalJson(before[key] ?? null, next[key] ?? null);
  if (stored === undefined || isOurs("observedGeneration") || isOurs("reconcile")) return false;
  return equalJson(before, stored(next));
}

function attemptsAfter(outcome: Outcome, before: number): number {
  if (outcome.kind !== "failed") return 0;
  return isRefused(outcome) ? before : before + 1;
}

/** It was not even tried. */
function isRefused(outcome: Outcome): boolean {
  return outcome.kind === "failed" && outcome.isCounted === false;
}

function delayAfter(
  outcome: Outcome,
  { what }: Pick<RunFacts, "what">,
  attempts: number,
  { resyncMs = defaultResyncMs, retry: policy }: Reconciler,
  random: Random,
): number | undefined {
  switch (outcome.kind) {
    case "done": {
      const paceMs = outcome.resyncMs ?? resyncMs;
      return paceMs <= 0 ? undefined : wholeMs(spreadMs(paceMs, random));
    }
    case "again":
      return Math.max(soonestMs, wholeMs(outcome.afterMs));
    case "waiting":
      return spreadMs(waitingBackstopMs, random);
    default: {
      const retry = effectiveRetry(outcome, what);
      if (retry === "never") return undefined;
      if (outcome.afterMs === undefined) return backoffMs(retry, attempts, policy, random);
      // What the outside asked for, but no faster than a first failure is tried again.
      const { soonFirstMs } = { ...defaultRetry, ...policy };
      const leastMs = isRefused(outcome) ? soonestMs : Math.max(soonestMs, soonFirstMs);
      return Math.max(leastMs, wholeMs(outcome.afterMs));
    }
  }
}

/** What was made outside must go, however hopeless it looks: a deletion is tried again for ever. */
function effectiveRetry({ retry }: Failed, what: RunFacts["what"]): Failed["retry"] {
  return what === "remove" && retry === "never" ? "slow" : retry;
}

function conditionsAfter(
  before: JsonObject,
  merged: JsonObject,
  outcome: Outcome,
  facts: RunFacts,
  nowMs: number,
): readonly Condition[] {
  const observedGeneration = facts.generation;
  const ready = readinessAfter(outcome, facts, readyByRun(before));
  let conditions = conditionsOf(merged);
  const set = (type: string, said: Readiness): void => {
    const { status, reason } = said;
    const message = said.message.slice(0, maxMessageChars);
    const input = { type, status, reason, message, observedGeneration };
    conditions = setCondition(conditions, input, nowMs);
  };
  if (ready !== undefined) set(readyType, ready);
  set(syncedType, syncedAfter(outcome, facts));
  return conditions;
}

function syncedAfter(outcome: Outcome, { note = "" }: RunFacts): Readiness {
  if (outcome.kind !== "failed") {
    return { status: "True", reason: "ReconcileSuccess", message: note };
  }
  const { reason, message } = outcome;
  return { status: "False", reason, message: note === "" ? message : `${message}; ${note}` };
}

/** Undefined: as before. */
function readinessAfter(
  outcome: Outcome,
  { what }: RunFacts,
  before: Condition | undefined,
): Readiness | undefined {
  const message = "message" in outcome ? outcome.message : "";
  if (what === "remove") return { status: "False", reason: deletingReason, message };
  const { ready } = outcome;
  if (ready === "keep" && before !== undefined) return undefined;
  if (ready !== undefined && ready !== "keep") return ready;
  switch (outcome.kind) {
    case "done":
      return { status: "True", reason: "Available", message };
    case "again":
      return { status: "False", reason: outcome.reason, message };
    case "waiting":
      return { status: "False", reason: waitingReason, message };
    default: {
      // Who has failed since has got past what it waited for: that is no reason any more.
      const isPast = before?.status === "False" && before.reason === waitingReason;
      const isNew = before === undefined || (isPast && !isRefused(outcome));
      return isNew ? { status: "False", reason: outcome.reason, message } : undefined;
    }
  }
}

interface Tries {
  readonly attempts: number;
  readonly nextAttempt: string | undefined;
  readonly version: number;
  /** See start-record.ts. */
  readonly begun: JsonObject | undefined;
  readonly succeeded: JsonObject | undefined;
}

function reconcileAfter(
  before: JsonObject,
  outcome: Outcome,
  { what, generation, request, looked = false }: RunFacts,
  { attempts, nextAttempt, version, begun, succeeded }: Tries,
): JsonObject {
  const old = reconcileStatusOf(before);
  const next: MutableJsonObject = {};
  for (const key in old) {
    if (!derived.has(key)) copy(old, next, key);
  }
  // What is done for now and not ready may go on from there.
  const isOver = outcome.kind === "done" && numberAt(succeeded, "generation") === generation;
  if (!isOver) copy(old, next, "progress");
  // Who asked for a run has not had one when it was refused, nor has newer code looked at it.
  if (isRefused(outcome)) {
    for (const key of ["handledRequest", "reconcilerVersion"]) copy(old, next, key);
  } else {
    if (request !== undefined) next["handledRequest"] = request;
    if (version !== 0) next["reconcilerVersion"] = version;
  }
  if (begun !== undefined) next["begun"] = begun;
  if (succeeded !== undefined) next["succeeded"] = succeeded;
  if (outcome.kind === "waiting") {
    next["waitingFor"] = outcome.on.slice(0, maxBlockers).map(blockerText);
  }
  if (outcome.kind !== "failed") return next;
  next["attempts"] = attempts;
  if (nextAttempt !== undefined) next["nextAttempt"] = nextAttempt;
  next["retry"] = effectiveRetry(outcome, what);
  if (next["retry"] === "never" && looked) next["looked"] = true;
  // Tried again all the same: who asked for the deletion should know that it may take for ever.
  if (next["retry"] !== outcome.retry) next["isFinal"] = true;
  return next;
}

/**
 * Which generation last became ready, and when. It stays when the resource is no longer ready:
 * that it once came about is what tells a creation from a repair. A run that was asked for by name
 * has to succeed by itself.
 */
function succeededAfter(
  before: JsonObject,
  outcome: Outcome,
  conditions: readonly Condition[],
  { what, generation, request }: RunFacts,
  nowMs: number,
): JsonObject | undefined {
  const old = reconcileStatusOf(before);
  const isReady = findCondition(conditions, readyType)?.status === "True";
  const isFresh = request !== undefined && request !== old.handledRequest && !isRefused(outcome);
  const told = isJsonObject(old.succeeded) ? old.succeeded : undefined;
  const known = isFresh && told?.["generation"] === generation ? undefined : told;
  if (what === "remove" || outcome.kind === "failed" || !isReady) return known;
  const isKnown = known !== undefined && known["generation"] === generation;
  return isKnown ? known : { generation, at: timeText(nowMs) };
}

/** Said anew by every run, or gone. */
const derived: ReadonlySet<string> = new Set([
  "attempts",
  "nextAttempt",
  "retry",
  "reconcilerVersion",
  "looked",
  "isFinal",
  "handledRequest",
  "waitingFor",
  "progress",
  "begun",
  "succeeded",
]);

function copy(from: ReconcileStatus, to: MutableJsonObject, key: string): void {
  const value = from[key];
  if (value !== undefined) setOwn(to, key, value);
}

function blockerText({ kind, namespace, name, condition, isThere }: Blocker): JsonObject {
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(condition === undefined ? {} : { condition }),
    ...(isThere === true ? { isThere } : {}),
  };
}

function lastRunOf(outcome: Outcome, { startedMs, tookMs, worker }: RunFacts): Json {
  return { startedAt: timeText(startedMs), tookMs, outcome: outcome.kind, worker };
}

function timeAfter(nowMs: number, afterMs: number | undefined): string | undefined {
  return afterMs === undefined ? undefined : timeText(nowMs + afterMs);
}

/** Authors compute delays; what comes out of a computation gone wrong is not passed on. */
function wholeMs(delayMs: number): number {
  if (Number.isNaN(delayMs)) return 1_000;
  return Math.ceil(Math.min(longestDelayMs, Math.max(0, delayMs)));
}
