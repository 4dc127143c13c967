/**
 * Reconciles DeploymentTargets and DeploymentTargetClaims. The claim takes a target by one write to
 * the status of the target, which fails when another claim was faster. A target that had a claim is
 * never given to another one: its cluster may hold the data of the first.
 */
import { deleteRecord, updateRecord } from "../../../acting/claimed-writes.ts";
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { Intents } from "../../../intents/request.ts";
import { timeText } from "../../../kernel/clock.ts";
import {
  nestedFinalizer,
  pausedFinalizer,
  reconcilerFinalizer,
} from "../../../kernel/engine-finalizers.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { deliveryTargetsKind, targetClaimsKind, targetClassesKind } from "../names.ts";
import { listByField } from "../sync/records.ts";
import { candidatesFor, claimOf } from "./choose-target.ts";

export interface DeliveryPorts {
  readonly intents: Intents;
}

const serverFinalizers: ReadonlySet<string> = new Set([
  reconcilerFinalizer,
  pausedFinalizer,
  nestedFinalizer,
  "foregroundDeletion",
  "orphan",
]);

const classField = ".spec.deploymentTargetClassName";

export function claimReconciler({ intents }: DeliveryPorts): Reconciler {
  return {
    kind: targetClaimsKind,
    reconcile: async (claim, context) => {
      const bound = textAt(claim.status, "targetName");
      return bound === ""
        ? await take(intents, claim, context)
        : await follow(claim, bound, context);
    },
  };
}

async function follow(claim: Resource, name: string, context: Context): Promise<Outcome> {
  const target = await context.references.get({ kind: deliveryTargetsKind, name });
  if (target !== undefined && claimOf(target)?.uid === claim.metadata.uid) {
    return claimed("Bound", name, "True", "");
  }
  return claimed("Lost", name, "False", `the DeploymentTarget ${name} was deleted or replaced`);
}

async function take(intents: Intents, claim: Resource, context: Context): Promise<Outcome> {
  const { namespace = "", name, uid } = claim.metadata;
  const className = textAt(claim.spec, "deploymentTargetClassName");
  const found = await context.references.get({ kind: targetClassesKind, name: className });
  const wanted = textAt(claim.spec, "targetName");
  if (wanted !== "") await context.references.get({ kind: deliveryTargetsKind, name: wanted });
  const at = { kind: deliveryTargetsKind, namespace };
  const targets = await listByField(intents.store, at, classField, className);
  for (const target of candidatesFor(claim, targets)) {
    const key = { ...at, name: target.metadata.name };
    let isTaken = false;
    await updateRecord(
      intents,
      context,
      key,
      (old) => {
        const holder = claimOf(old);
        isTaken = old.metadata.uid === target.metadata.uid && (holder?.uid ?? uid) === uid;
        if (!isTaken) return old;
        return { ...old, status: { ...objectAt(old, "status"), claim: { name, uid } } };
      },
      "status",
    );
    if (!isTaken) continue;
    await commitWakes(intents.store, [wake(key, target.metadata.uid)], context.signal);
    // The next run reads the target by reference.
    await context.references.get({ kind: deliveryTargetsKind, name: target.metadata.name });
    return claimed("Bound", target.metadata.name, "True", "");
  }
  const provisioner = textAt(found?.spec, "provisioner");
  const message =
    found === undefined
      ? `the DeploymentTargetClass ${className} does not exist, and no target of it is free`
      : `no free target: the provisioner ${provisioner} or a user has to create one`;
  return claimed("Pending", "", "False", message, provisioner);
}

function claimed(
  phase: "Pending" | "Bound" | "Lost",
  targetName: string,
  status: Readiness["status"],
  message: string,
  provisioner = "",
): Outcome {
  const ready = { status, reason: phase, message };
  const fields = { phase, message, targetName: targetName === "" ? null : targetName };
  return done({ status: { ...fields, ...(provisioner === "" ? {} : { provisioner }) }, ready });
}

export function deliveryTargetReconciler({ intents }: DeliveryPorts): Reconciler {
  return {
    kind: deliveryTargetsKind,
    reconcile: async (target, context) => await reconcileTarget(intents, target, context),
    /** A provisioner holds the target with a finalizer until its cluster is removed. */
    remove: async (target, context) => {
      const { deletionTimestamp = "", finalizers = [] } = target.metadata;
      const others = finalizers.filter((each) => !serverFinalizers.has(each));
      if (others.length === 0) return done();
      const leftMs =
        Date.parse(deletionTimestamp) + gitopsLimits.targetRemovalMs - context.clock.nowMs();
      const message = `waits for the finalizers ${others.join(", ")}`;
      const phase = leftMs > 0 ? {} : { phase: "Failed" };
      const status = { ...phase, message };
      return again(leftMs > 0 ? leftMs : 15_000, { status, reason: "Deleting", message });
    },
  };
}

async function reconcileTarget(
  intents: Intents,
  target: Resource,
  context: Context,
): Promise<Outcome> {
  const { namespace = "", name } = target.metadata;
  const holder = claimOf(target);
  const className = textAt(target.spec, "deploymentTargetClassName");
  if (holder === undefined) {
    const at = { kind: targetClaimsKind, namespace };
    const claims = await listByField(intents.store, at, classField, className);
    const waiting = claims.filter((claim) => textAt(claim.status, "targetName") === "");
    const wakes = waiting.map(({ metadata }) => wake({ ...at, name: metadata.name }, metadata.uid));
    await commitWakes(intents.store, wakes, context.signal);
    return phased("Available", {});
  }
  const claim = await context.references.get({ kind: targetClaimsKind, name: holder.name });
  if (claim?.metadata.uid === holder.uid && claim.metadata.deletionTimestamp === undefined) {
    return phased("Bound", {});
  }
  const found = await context.references.get({ kind: targetClassesKind, name: className });
  if (textAt(found?.spec, "reclaimPolicy") === "Delete") {
    await deleteRecord(intents, context, { kind: deliveryTargetsKind, namespace, name });
  }
  const releasedAt = textAt(target.status, "releasedAt") || timeText(context.clock.nowMs());
  return phased("Released", { releasedAt });
}

function phased(phase: string, more: JsonObject): Outcome {
  const ready = { status: "True", reason: phase, message: "" } as const;
  return done({ status: { phase, ...more }, ready });
}
