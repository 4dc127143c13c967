// Whether a resource that is suspected to hold another one does, and what is to be said about it.

import { annotations } from "../../kernel/annotations.ts";
import { isTrueNow } from "../../kernel/current-conditions.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Diagnosis, Relation, Subject, Suspect } from "./diagnosis.ts";
import { nestedFinalizer } from "../names.ts";
import { annotationOf, finalizersOf, foreground, reported } from "./report.ts";

/** What one sees who asks about a resource. */
export type Seen =
  | { readonly kind: "found"; readonly subject: Subject }
  | { readonly kind: "missing" }
  /** Whoever asks may not read it, whether it is there or not. */
  | { readonly kind: "hidden" };

export function isBlocking(
  { relation, condition, isThere = false }: Suspect,
  seen: Seen,
  above: Resource,
  found: Diagnosis | undefined,
): boolean {
  switch (relation) {
    case "WaitsFor":
      if (seen.kind !== "found") return true;
      // What is wrong with it may be a matter of who needs it, who has told that then.
      if (isThere) return found !== undefined && found.state !== "Ready";
      return condition !== undefined && !isTrue(seen.subject.resource, condition);
    case "Owns":
      return found !== undefined && found.ready !== "True" && found.state !== "Unhandled";
    case "Outlives":
      return seen.kind === "found" && holdsOwner(seen.subject.resource, above);
    case "LivesIn":
      return seen.kind !== "missing";
    default:
      return relation satisfies never;
  }
}

function isTrue(resource: Resource, condition: string): boolean {
  return isTrueNow(resource, condition);
}

/** What is in a namespace or of a kind has no reference to it, and always holds it. */
function holdsOwner({ metadata }: Resource, owner: Resource): boolean {
  const reference = metadata.ownerReferences?.find(({ uid }) => uid === owner.metadata.uid);
  if (reference === undefined) return true;
  const { blockOwnerDeletion, controller } = reference;
  const finalizers = finalizersOf(owner);
  if (blockOwnerDeletion === true && finalizers.includes(foreground)) return true;
  return controller !== true && finalizers.includes(nestedFinalizer);
}

/** Whether an owner waits for the other by nothing but being deleted after it. */
export function isWaitingOwner(owner: Resource, { metadata }: Resource): boolean {
  const isOwner = metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
  const finalizers = finalizersOf(owner);
  return isOwner && (finalizers.includes(foreground) || finalizers.includes(nestedFinalizer));
}

/** What is wanted of a resource and not so, where its own message does not say it. */
export function unmetBy(
  suspect: Suspect | undefined,
  resource: Resource,
  { state }: Diagnosis,
): readonly string[] {
  if (suspect?.relation === "Outlives") return staysText(resource);
  const { condition } = suspect ?? {};
  if (condition === undefined || (condition === "Ready" && state !== "Ready")) return [];
  const report = reported(resource, condition);
  if (report === undefined) return [`it has no condition ${condition}`];
  const why = report.text === undefined ? "" : ` (${report.text})`;
  return [`condition ${condition} is ${report.status}${why}`];
}

function staysText(resource: Resource): readonly string[] {
  if (resource.metadata.deletionTimestamp !== undefined) return [];
  const value = annotationOf(resource, annotations.protected) ?? "false";
  if (value === "false") return ["not being deleted yet"];
  return [`protected by the annotation ${annotations.protected}`];
}

/** Whoever may not read these may not learn their names either. */
export function isUnnamed({ relation }: Suspect): boolean {
  return relation === "Owns" || relation === "Outlives";
}

export function hiddenText(relation: Relation): string {
  return relation === "LivesIn" ? "being deleted; you may not read more" : "not visible to you";
}

export function missingText({ kind }: ResourceKey, isServed: boolean): string {
  return isServed ? "does not exist" : `does not exist: nothing serves ${kind}`;
}
