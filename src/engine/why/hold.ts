// What keeps the work on a resource from being done, be it a reconciliation or a removal: somebody
// is at it, it waits for others, it has failed, it was paused, or no worker has taken it.

import { annotations } from "../../kernel/annotations.ts";
import { isPaused } from "../../kernel/paused.ts";
import type { Resource } from "../../kernel/resource.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import type { LiveClaim } from "../../store/port.ts";
import type { Hold, KindNames, State, Subject, Suspect } from "./diagnosis.ts";
import { cut, isCurrent, listText, reconcileOf, reported } from "./report.ts";
import { untilTime } from "./report.ts";
import { requestOf } from "../run/plan.ts";
import { spanText, whenText } from "../../kernel/span-text.ts";

/** Without a worker for this long something is wrong with the workers. */
const patienceMs = 60_000;

/** Undefined when nothing is known to be under way or wrong. */
export function holdOf(subject: Subject, names: KindNames, nowMs: number): Hold | undefined {
  const { resource, workers } = subject;
  if (isPaused(resource)) {
    return plainHold("Paused", `paused by the annotation ${annotations.paused}`);
  }
  const hold = holdOfWork(subject, names, nowMs);
  return workers === "none" ? unattended(hold, subject.unusable) : hold;
}

/** What it waits for, or failed with, still tells where it stands; but nobody goes on with it. */
function unattended(hold: Hold | undefined, unusable: readonly string[] = []): Hold {
  const message = "no worker is running for this kind";
  const { state, details = [], suspects = [] } = hold ?? {};
  const stand = state === "Waiting" ? [`before that: ${hold?.message}`] : [];
  return { state: "Unattended", message, details: [...unusable, ...stand, ...details], suspects };
}

function holdOfWork(subject: Subject, names: KindNames, nowMs: number): Hold | undefined {
  const { resource, work } = subject;
  const synced = reported(resource, "Synced");
  const failure = synced?.status === "False" ? synced.text : undefined;
  const progress = progressText(resource);
  const details = [failure, progress].filter((text) => text !== undefined);
  const waits = waitedFor(subject, names);
  const suspects = waits.map(({ suspect }) => suspect);
  if (work?.claim !== undefined) return workingOf(subject, work.claim, failure, progress);
  if (waits.length > 0) {
    const message = `waiting for ${listText(waits.map(({ text }) => text))}`;
    return { state: "Waiting", message, details, suspects };
  }
  const failing = isHeldOff(subject) ? undefined : failureOf(subject, details, nowMs);
  return failing ?? queueOf(subject, details) ?? refusalOf(subject, details, nowMs);
}

/**
 * Somebody is at it. What the last run said is told as such: the one under way may find something
 * else, and what that one waited for is no matter of this one.
 */
function workingOf(
  subject: Subject,
  claim: LiveClaim,
  failure: string | undefined,
  progress: string | undefined,
): Hold {
  const times = failedTimes(subject);
  const last = failure === undefined ? undefined : lastRunText(failure);
  const tries = times === undefined ? undefined : `${times} before`;
  const lines = [leaseText(subject, claim), tries, last, progress];
  const details = lines.filter((text) => text !== undefined);
  return { state: "Working", message: holderText(subject, claim), details, suspects: [] };
}

export function lastRunText(said: string): string {
  return `last run: ${said}`;
}

/** Leases are renewed every third of their length: who has missed two of three may be dead. */
const doubtfulPart = 1 / 2;

function isSilent({ silentMs = 0 }: Subject, { expiresInMs }: LiveClaim): boolean {
  return silentMs > (silentMs + expiresInMs) * doubtfulPart;
}

function holderText(subject: Subject, claim: LiveClaim): string {
  const { runningMs, silentMs = 0 } = subject;
  if (isSilent(subject, claim)) {
    return `claimed by ${claim.owner}, which has not renewed its lease for ${spanText(silentMs)}`;
  }
  const since = runningMs === undefined ? "" : ` for ${spanText(runningMs)}`;
  return `being reconciled by ${claim.owner}${since}`;
}

/** Of a claim of another process: when it ends by itself, should that one be dead. */
function leaseText(subject: Subject, claim: LiveClaim): string | undefined {
  if (subject.silentMs === undefined) return undefined;
  const rest = isSilent(subject, claim) ? "then another worker takes over" : "unless it is renewed";
  return `its lease ends ${whenText(claim.expiresInMs)}, ${rest}`;
}

export function plainHold(state: State, message: string): Hold {
  return { state, message, details: [], suspects: [] };
}

/** Undefined when it has not failed since its last success or change. */
function failedTimes({ resource }: Subject): string | undefined {
  const attempts = numberAt(reconcileOf(resource), "attempts") ?? 0;
  if (attempts <= 0 || !isCurrent(resource)) return undefined;
  return attempts === 1 ? "failed once" : `failed ${attempts} times`;
}

function failureOf(subject: Subject, details: readonly string[], nowMs: number): Hold | undefined {
  const { resource } = subject;
  const times = failedTimes(subject);
  if (times === undefined) return undefined;
  const status = reconcileOf(resource);
  const asked = requestOf(resource) ?? "";
  if (textAt(status, "retry") === "never" && asked === textAt(status, "handledRequest")) {
    const message = "no further retries until the spec changes or a reconcile is requested";
    return { state: "GivenUp", message, details, suspects: [] };
  }
  const nextMs = nextTryMs(subject, nowMs);
  const next = nextMs === undefined ? "no retry is scheduled" : `next retry ${whenText(nextMs)}`;
  return { state: "Failing", message: `${times}, ${next}`, details, suspects: [] };
}

function nextTryMs({ resource, work }: Subject, nowMs: number): number | undefined {
  return work?.dueInMs ?? untilTime(textAt(reconcileOf(resource), "nextAttempt"), nowMs);
}

/** The reasons for which calls of systems outside are not made. */
const refusals: ReadonlySet<string> = new Set(["CircuitOpen", "Busy", "RateLimited"]);

/** The last run was refused a call, however often those before it have failed. */
function isHeldOff({ resource }: Subject): boolean {
  const synced = reported(resource, "Synced");
  if (synced?.status !== "False" || !refusals.has(synced.reason)) return false;
  return textAt(reconcileOf(resource), "retry") !== "never";
}

/** A run that ended early without counting as failed: a system outside was not to be called. */
function refusalOf(subject: Subject, details: readonly string[], nowMs: number): Hold | undefined {
  const { resource } = subject;
  const isRefused = reported(resource, "Synced")?.status === "False" && isCurrent(resource);
  const nextMs = nextTryMs(subject, nowMs);
  if (!isRefused || nextMs === undefined) return undefined;
  const times = failedTimes(subject);
  const before = times === undefined ? [] : [`${times} before`];
  const message = `delayed, next retry ${whenText(nextMs)}`;
  return { state: "HeldOff", message, details: [...details, ...before], suspects: [] };
}

function queueOf({ key, work, workers }: Subject, details: readonly string[]): Hold | undefined {
  if (work?.dueInMs === undefined || work.dueInMs > 0) return undefined;
  const silent = work.attempts > 1 ? [`claimed ${work.attempts} times without a result`] : [];
  const other = workers === "unknown" ? ["this server does not reconcile its kind"] : [];
  const message =
    -work.dueInMs <= patienceMs
      ? "due now, waiting for a worker"
      : `due for ${spanText(work.dueInMs)} and not claimed: ` +
        `is a server with workers for ${key.kind} running?`;
  return { state: "Queued", message, details: [...details, ...silent, ...other], suspects: [] };
}

function progressText(resource: Resource): string | undefined {
  const progress = objectAt(reconcileOf(resource), "progress");
  const { generation } = resource.metadata;
  if ((numberAt(progress, "generation") ?? generation) !== generation) return undefined;
  const done = numberAt(progress, "done");
  const of = numberAt(progress, "of");
  if (done === undefined || of === undefined) return undefined;
  const message = cut(textAt(progress, "message"));
  return `${done} of ${of} done${message === "" ? "" : `, now ${message}`}`;
}

interface Wait {
  readonly suspect: Suspect;
  readonly text: string;
}

function waitedFor({ key, resource }: Subject, names: KindNames): readonly Wait[] {
  if (!isCurrent(resource)) return [];
  return objectsAt(reconcileOf(resource), "waitingFor").flatMap((blocker): readonly Wait[] => {
    const kind = textAt(blocker, "kind");
    const name = textAt(blocker, "name");
    if (kind === "" || name === "") return [];
    const named = names.named(kind);
    const home = named?.isNamespaced === false ? "" : key.namespace;
    const given = textAt(blocker, "namespace");
    const other = { kind, namespace: given === "" ? home : given, name };
    const condition = textAt(blocker, "condition");
    const isOther = other.namespace !== "" && other.namespace !== key.namespace;
    const what = `${named?.kind ?? kind}/${name}${isOther ? ` in ${other.namespace}` : ""}`;
    if (condition === "" && isTrueAt(blocker, "isThere")) {
      const suspect: Suspect = { relation: "WaitsFor", key: other, isThere: true };
      return [{ suspect, text: `${what} to become ready` }];
    }
    if (condition === "") {
      return [{ suspect: { relation: "WaitsFor", key: other }, text: `${what} to exist` }];
    }
    const suspect: Suspect = { relation: "WaitsFor", key: other, condition };
    return [{ suspect, text: `${what} to be ${condition}` }];
  });
}
