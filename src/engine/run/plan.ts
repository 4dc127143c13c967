// What is to be done about a resource, from its document alone. Pure, so that every case can be
// read and tested here: pausing wins over all, a deletion over the rest, and a kind with `remove`
// is never reconciled before its finalizer is stored.

import { documentDigest } from "../../kernel/document.ts";
import { isHeldByEngine } from "../../kernel/engine-finalizers.ts";
import { getOwn } from "../../kernel/json.ts";
import { isPaused } from "../../kernel/paused.ts";
import type { Resource } from "../../kernel/resource.ts";
import { annotations, finalizer, nestedFinalizer } from "../names.ts";
import { failed } from "../outcome.ts";
import type { Failed } from "../outcome.ts";
import { lossesOf } from "./start-record.ts";
import type { Reconciler } from "../reconciler.ts";
import { reconcileStatusOf, statusOf, workerLostReason } from "./status.ts";

export type Plan =
  /**
   * Nothing is wanted of us: being deleted without a finalizer of ours, or after others that are
   * inside of it, or failed for good. Whoever lets go of it, or changes it, wakes it.
   */
  | { readonly kind: "nothing" }
  | { readonly kind: "paused" }
  /** The policy says not to touch it, and there is no way to look. */
  | { readonly kind: "skipped" }
  | { readonly kind: "putAside"; readonly outcome: Failed }
  /** Gives up the finalizers without taking anything back. */
  | { readonly kind: "letGo" }
  | RunPlan;

export interface RunPlan {
  readonly kind: "run";
  readonly what: "reconcile" | "observe" | "remove";
  /** The finalizer is to be stored first. */
  readonly addsFinalizer: boolean;
  /** Something that the owner of the resource should know. */
  readonly note?: string;
}

/** Workers that were lost while they ran it again, the last with no other suspect beside it. */
const mostLosses = 2;

/** It is told in the status and in events. */
const longestToken = 256;

const nothing: Plan = { kind: "nothing" };
const reconcile: RunPlan = { kind: "run", what: "reconcile", addsFinalizer: false };
const reconcileHeld: RunPlan = { kind: "run", what: "reconcile", addsFinalizer: true };
const observe: RunPlan = { kind: "run", what: "observe", addsFinalizer: false };
const remove: RunPlan = { kind: "run", what: "remove", addsFinalizer: false };

/**
 * `claims` counts the claims since the last one that ended with a result. `isOfEarlierProcess`
 * allows a retry whatever the result of the last run was.
 */
export function planFor(
  resource: Resource,
  reconciler: Reconciler,
  claims: number,
  isOfEarlierProcess = false,
): Plan {
  if (reconciler.ownsStatus === true) return reconcile;
  const { deletionTimestamp, finalizers = [] } = resource.metadata;
  const isHeld = finalizers.includes(finalizer);
  const isDeleting = deletionTimestamp !== undefined;
  if (isDeleting && !isHeldByEngine(resource)) return nothing;
  if (isPaused(resource)) return { kind: "paused" };
  const policy = policyOf(resource);
  const isTakenBack = isHeld && policy.name === "manage" && reconciler.remove !== undefined;
  if (isDeleting && !isTakenBack) return { kind: "letGo" };
  if (isDeleting && finalizers.includes(nestedFinalizer)) return nothing;
  if (policy.name === "skip" && reconciler.observe === undefined) return { kind: "skipped" };
  const losses = lossesOf(resource, claims);
  if (losses >= mostLosses) return { kind: "putAside", outcome: workerLost(losses + 1) };
  if (isDeleting) return remove;
  if (!isOfEarlierProcess && hasGivenUp(resource, reconciler)) return nothing;
  if (policy.name === "skip") return observe;
  const addsFinalizer = policy.name === "manage" && reconciler.remove !== undefined && !isHeld;
  const plan = addsFinalizer ? reconcileHeld : reconcile;
  return policy.note === undefined ? plan : { ...plan, note: policy.note };
}

/** The token by which somebody asked for a run; of one that is too long to be told, a digest. */
export function requestOf(resource: Resource): string | undefined {
  const token = annotationOf(resource, annotations.request);
  if (token === undefined || token.length <= longestToken) return token;
  return `sha256:${documentDigest(Buffer.from(token)).toString("hex")}`;
}

/** Since the last run neither what is wanted has changed, nor did somebody ask for another. */
export function isUnasked(resource: Resource): boolean {
  const status = statusOf(resource);
  return (
    getOwn(status, "observedGeneration") === resource.metadata.generation &&
    reconcileStatusOf(status).handledRequest === requestOf(resource)
  );
}

/** Whether this version of the code has yet to look at it, and would if it were woken. */
export function isNewTo(reconciler: Reconciler, resource: Resource): boolean {
  if (isKnownTo(reconciler, resource)) return false;
  const plan = planFor(resource, reconciler, 1);
  return plan.kind === "run" && plan.what !== "remove";
}

interface Policy {
  readonly name: "manage" | "skip" | "detach-on-delete";
  readonly note?: string;
}

function policyOf(resource: Resource): Policy {
  const name = annotationOf(resource, annotations.policy) ?? "manage";
  if (name === "manage" || name === "skip" || name === "detach-on-delete") return { name };
  const shown = JSON.stringify(name.slice(0, 64));
  return {
    name: "manage",
    note: `unknown policy ${shown} in ${annotations.policy}; the resource is managed`,
  };
}

/**
 * It failed for good, and since then neither its spec, nor the code changed, nor did one ask. One
 * that looked at others before it failed is not done with: what woke it may be a change of those.
 */
function hasGivenUp(resource: Resource, reconciler: Reconciler): boolean {
  const { retry, looked } = reconcileStatusOf(statusOf(resource));
  return (
    retry === "never" && looked !== true && isUnasked(resource) && isKnownTo(reconciler, resource)
  );
}

/** The last run was by this version of the code, or a higher one. */
function isKnownTo({ version = 0 }: Reconciler, resource: Resource): boolean {
  const { reconcilerVersion = 0 } = reconcileStatusOf(statusOf(resource));
  return typeof reconcilerVersion === "number" && reconcilerVersion >= version;
}

function workerLost(times: number): Failed {
  const message = `the last ${times} workers stopped before they reported a result`;
  return failed(workerLostReason, message, { retry: "slow" });
}

function annotationOf({ metadata }: Resource, name: string): string | undefined {
  const value = metadata.annotations === undefined ? undefined : getOwn(metadata.annotations, name);
  return typeof value === "string" ? value : undefined;
}
