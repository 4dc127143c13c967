// What holds a deletion up. A resource goes when its last finalizer is taken away, so each of them
// is a question of its own: who takes it away, and what does that one wait for.

import { spanText, whenText } from "../../kernel/span-text.ts";
import { textAt, textsAt, objectsAt } from "../../kernel/json-read.ts";
import { isPaused } from "../../kernel/paused.ts";
import { finalizer, nestedFinalizer, pausedFinalizer } from "../names.ts";
import type { Diagnosis, Hold, KindNames, Subject, Suspect } from "./diagnosis.ts";
import { holdOf, plainHold } from "./hold.ts";
import { cut, finalizersOf, foreground, listText, untilTime } from "./report.ts";

const orphan = "orphan";
const cleanup = "customresourcecleanup.apiextensions.k8s.io";

export function diagnoseDeletion(subject: Subject, names: KindNames, nowMs: number): Diagnosis {
  const { resource } = subject;
  const holds = holdsOf(subject, names, nowMs);
  const askedMs = untilTime(resource.metadata.deletionTimestamp ?? "", nowMs);
  const since = askedMs === undefined || askedMs > -1_000 ? "" : ` for ${spanText(askedMs)}`;
  const why = holds.map(({ message }) => message).join("; ");
  return {
    state: "Deleting",
    ready: "False",
    message: `being deleted${since}${why === "" ? "" : `: ${why}`}`,
    details: [
      ...holds.flatMap(({ details }) => details),
      ...ownWork(subject),
      ...contentReports(subject),
    ],
    suspects: holds.flatMap(({ suspects }) => suspects),
  };
}

function holdsOf(subject: Subject, names: KindNames, nowMs: number): readonly Hold[] {
  const { resource, content, dependents } = subject;
  const finalizers = finalizersOf(resource);
  const holds: Hold[] = [];
  const ours = [finalizer, pausedFinalizer].find((name) => finalizers.includes(name));
  // What is inside goes before anything is taken back.
  const isNested = finalizers.includes(nestedFinalizer) && !isPaused(resource);
  if (ours !== undefined && !isNested) holds.push(removalHold(subject, ours, names, nowMs));
  const isAwaiting = isNested || finalizers.includes(foreground);
  if (isAwaiting) {
    const suspects = dependents.map((key): Suspect => ({ relation: "Outlives", key }));
    const what = finalizers.includes(foreground) ? "its dependents" : "its nested resources";
    holds.push({ ...plainHold("Deleting", `waiting until ${what} are deleted`), suspects });
  }
  if (finalizers.includes(orphan)) {
    holds.push(plainHold("Deleting", "its dependents are being orphaned first"));
  }
  const isContentHeld = finalizers.includes(cleanup) || content.length > 0;
  if (isContentHeld) {
    const suspects = content.map((key): Suspect => ({ relation: "Outlives", key }));
    holds.push({ ...plainHold("Deleting", "its content is being deleted first"), suspects });
  }
  const holders = (subject.holders ?? []).filter((each) => finalizers.includes(each.finalizer));
  for (const { message, keys } of holders) {
    const suspects = keys.map((key): Suspect => ({ relation: "Outlives", key }));
    holds.push({ ...plainHold("Deleting", message), suspects });
  }
  const theirs = holders.map((each) => each.finalizer);
  const ownOnes = [finalizer, pausedFinalizer, nestedFinalizer, foreground, orphan, cleanup];
  const known = new Set([...ownOnes, ...theirs]);
  const spec = textsAt(resource.spec, "finalizers").filter((name) => name !== "kubernetes");
  const others = [...finalizers.filter((name) => !known.has(name)), ...spec];
  if (others.length > 0) {
    const what = others.length === 1 ? "finalizer" : "finalizers";
    const which = `${what} ${listText(others.map(cut))}`;
    holds.push(plainHold("Deleting", `held by the ${which}, which its owner must remove`));
  }
  return holds;
}

/** Our own finalizer goes when the removal in the outside is done. */
function removalHold(subject: Subject, ours: string, names: KindNames, nowMs: number): Hold {
  if (!subject.isReconciled) {
    const message = `held by the finalizer ${ours}, but no reconciler handles its kind`;
    return { ...plainHold("Deleting", message), details: subject.unusable ?? [] };
  }
  const hold = holdOf(subject, names, nowMs);
  if (hold === undefined) return plainHold("Deleting", "removal in progress");
  return {
    ...hold,
    message: `removal ${asRemoval(hold)}`,
    details: [...hold.details, ...whoMustAct(subject)],
  };
}

/** Where this server cannot complete the removal itself. */
function whoMustAct({ key, resource, workers, work }: Subject): readonly string[] {
  if (workers === "here" || isPaused(resource) || work?.claim !== undefined) return [];
  const who = `a server with the role worker and the module of ${key.kind}`;
  return [`${who} must complete the removal`];
}

/** How the engine is doing with a kind that every server reconciles. */
function ownWork({ isOwn = false, work }: Subject): readonly string[] {
  if (!isOwn || work === undefined) return [];
  const { claim, attempts, dueInMs } = work;
  if (claim !== undefined) return [`deletion in progress by ${claim.owner}`];
  if (attempts === 0 || dueInMs === undefined) return [];
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return [`deletion failed ${times}, next retry ${whenText(dueInMs)}; the server's log says why`];
}

function asRemoval({ state, message }: Hold): string {
  if (state === "Unattended") return `held up: ${message}`;
  return state === "Failing" ? message.replace(/^failed/, "failing: it failed") : message;
}

/** A namespace that is deleted tells in its conditions what it still waits for. */
function contentReports({ key, resource }: Subject): readonly string[] {
  if (key.kind !== "namespaces") return [];
  return objectsAt(resource.status, "conditions")
    .filter((condition) => textAt(condition, "status") === "True")
    .map((condition) => cut(textAt(condition, "message")))
    .filter((message) => message !== "");
}
