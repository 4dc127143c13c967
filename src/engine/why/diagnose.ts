// Why one resource is not ready, as far as its own document and the state of its work tell. Pure:
// the same facts give the same sentence, whoever asks and through whichever surface.

import { annotations } from "../../kernel/annotations.ts";
import { isHeldByEngine } from "../../kernel/engine-finalizers.ts";
import { numberAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { WorkState } from "../../store/port.ts";
import { diagnoseDeletion } from "./deletion.ts";
import type { Diagnosis, Hold, KindNames, State, Subject, Suspect } from "./diagnosis.ts";
import { holdOf, lastRunText, plainHold } from "./hold.ts";
import { annotationOf, isCurrent, reconcileOf, reported } from "./report.ts";
import type { Report } from "./report.ts";
import { whenText } from "../../kernel/span-text.ts";

export function diagnose(subject: Subject, names: KindNames, nowMs: number): Diagnosis {
  const found = diagnoseAlone(subject, names, nowMs);
  // What is on its way out itself is not held by the end of what it is in.
  if (found.state === "Ready" || found.state === "Deleting") return found;
  const endings = subject.endings.map((key): Suspect => ({ relation: "LivesIn", key }));
  return { ...found, suspects: [...found.suspects, ...endings] };
}

function diagnoseAlone(subject: Subject, names: KindNames, nowMs: number): Diagnosis {
  const { resource, isReconciled } = subject;
  if (resource.metadata.deletionTimestamp !== undefined) {
    return diagnoseDeletion(subject, names, nowMs);
  }
  return isReconciled || wasReconciled(resource)
    ? diagnoseReconciled(subject, names, nowMs)
    : diagnoseOther(subject);
}

function diagnoseReconciled(subject: Subject, names: KindNames, nowMs: number): Diagnosis {
  const { resource, work, isReconciled, dependents } = subject;
  const ready = reported(resource, "Ready");
  const observed = ready?.generation ?? numberAt(resource.status, "observedGeneration");
  const isUpToDate = ready?.isCurrent ?? isCurrent(resource);
  const hold = isReconciled ? holdOf(subject, names, nowMs) : undefined;
  if (ready?.status === "True" && isUpToDate) return readyWith(hold, resource, ready);
  const found = hold ?? quietHold(subject, ready);
  const readyText = ready?.status === "True" ? undefined : ready?.text;
  const isPlain = hold === undefined && (found.state === "InProgress" || found.state === "Waiting");
  const planned = isPlain ? againText(work) : "";
  const isBehind = ready?.status === "True" && goingOn.has(found.state);
  return {
    state: found.state,
    ready: ready?.status === "False" ? "False" : "Unknown",
    ...(isBehind ? { isBehind } : {}),
    message: `${found.message}${planned}`,
    details: [
      ...found.details,
      ...readinessLines(found, readyText, resource),
      ...(isUpToDate || observed === undefined ? [] : [staleText(observed, resource)]),
    ],
    suspects: [...found.suspects, ...dependents.map((key): Suspect => ({ relation: "Owns", key }))],
  };
}

/** Somebody is at it, or will be: nothing is wrong. */
const goingOn: ReadonlySet<State> = new Set<State>(["Working", "Queued", "InProgress"]);

/** It has got as far as this, so what it said of an earlier wait is no longer so. */
const pastWait: ReadonlySet<State> = new Set<State>(["Failing", "GivenUp", "HeldOff"]);

/** Why it is not ready, where that is not said yet; of a run before this one, told as such. */
function readinessLines(
  { state, details }: Hold,
  text: string | undefined,
  resource: Resource,
): readonly string[] {
  // A reason without a message says no more than the state does.
  const isBare = text === state || text === "Waiting";
  if (text === undefined || isBare || details.includes(text)) return [];
  if (pastWait.has(state) && text.startsWith("Waiting: ")) return [];
  if (state !== "Working") return [text];
  return reported(resource, "Synced")?.status === "True" ? [lastRunText(text)] : [];
}

/** It can be used; that the loop around it has trouble is worth a word. */
function readyWith(hold: Hold | undefined, resource: Resource, ready: Report): Diagnosis {
  const synced = reported(resource, "Synced");
  const isQuiet = hold === undefined || hold.state === "Working" || hold.state === "Queued";
  return {
    state: "Ready",
    ready: "True",
    message: isQuiet ? "ready" : `ready, but ${hold.message}`,
    details: [
      ...(synced?.status === "False" && synced.text !== undefined ? [synced.text] : []),
      ...(isRemarkable(ready.text) ? [ready.text] : []),
    ],
    suspects: [],
  };
}

/** Ready with a reason of its own, and words for it, such as that others have changed it. */
function isRemarkable(text: string | undefined): text is string {
  return text?.includes(": ") === true && !text.startsWith("Available: ");
}

/** Not ready, and neither the work on it nor its last run say why. */
function quietHold(subject: Subject, ready: Report | undefined): Hold {
  const { resource, work, isReconciled, unusable = [] } = subject;
  if (!isReconciled) {
    return { ...plainHold("Unhandled", "no reconciler handles its kind"), details: unusable };
  }
  if (annotationOf(resource, annotations.policy) === "skip") {
    return plainHold("LeftAlone", `skipped because of the annotation ${annotations.policy}: skip`);
  }
  const isWaiting = ready?.text === "Waiting" || ready?.text?.startsWith("Waiting: ") === true;
  if (isWaiting) {
    return plainHold("Waiting", "waiting for a condition that the reconciler does not name");
  }
  if (work?.dueInMs !== undefined) return plainHold("InProgress", "still in progress");
  const what = ready === undefined ? "not reconciled yet" : "not ready";
  return plainHold("NotReady", `${what}, and no run is scheduled`);
}

function againText(work: WorkState | undefined): string {
  return work?.dueInMs === undefined ? "" : `, checked again ${whenText(work.dueInMs)}`;
}

function staleText(observed: number, { metadata: { generation } }: Resource): string {
  return `the status is about generation ${observed}; the spec is at generation ${generation}`;
}

/** Whether an engine has written about it, or holds it. */
function wasReconciled(resource: Resource): boolean {
  return isHeldByEngine(resource) || Object.keys(reconcileOf(resource)).length > 0;
}

const definitionsKind = "customresourcedefinitions.apiextensions.k8s.io";

/** Of a kind without a reconciler: others may report on it, as the server does on definitions. */
function diagnoseOther(subject: Subject): Diagnosis {
  const { key, resource, isBuiltIn, isOwn = false, isRecord = false, unreported } = subject;
  const isDefinition = key.kind === definitionsKind;
  const types = isDefinition ? ["Established"] : isRecord ? ["Ready", "Accepted"] : ["Ready"];
  const type = types.find((each) => reported(resource, each) !== undefined) ?? "Ready";
  const report = reported(resource, type);
  const none = { details: [], suspects: [] };
  if (report?.status === "True") {
    return { state: "Ready", ready: "True", message: "ready", ...none };
  }
  if (report !== undefined) {
    const cause = (isDefinition ? reported(resource, "NamesAccepted") : undefined) ?? report;
    return {
      state: "NotReady",
      ready: report.status === "False" ? "False" : "Unknown",
      message: `reported as not ready (${type} is ${report.status})`,
      details: cause.text === undefined ? [] : [cause.text],
      suspects: [],
    };
  }
  if (isBuiltIn) {
    return {
      state: "Ready",
      ready: "True",
      message: isOwn ? "ready" : "ready; no reconciler handles its kind",
      ...none,
    };
  }
  if (isRecord && unreported !== undefined) {
    return { state: "Ready", ready: "Unknown", message: unreported, ...none };
  }
  if (isRecord) {
    return { state: "Ready", ready: "True", message: "ready; no problem was reported", ...none };
  }
  const message = "no reconciler handles its kind";
  const { unusable: details = [] } = subject;
  return { ...none, state: "Unhandled", ready: "Unknown", message, details };
}
