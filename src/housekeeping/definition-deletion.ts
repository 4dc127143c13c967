// Deletes definitions: first the resources of their kind, then the finalizer that stands for them,
// which removes the definition.

import { again, done } from "../engine/outcome.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { systemOptions } from "../intents/bootstrap.ts";
import { changeAsSystem } from "../intents/housekeeping/system-change.ts";
import { findCondition } from "../kernel/conditions.ts";
import type { Resource } from "../kernel/resource.ts";
import {
  cleanupFinalizer,
  failedReason,
  terminatingStatus,
} from "../intents/kinds/definition-deletion.ts";
import type { DeletionStage } from "../intents/kinds/definition-deletion.ts";
import { conditionsOf } from "../intents/kinds/definition-parts.ts";
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import type { Intents } from "../intents/request.ts";
import { deleteContent } from "./content.ts";
import type { DeletingRun } from "./content.ts";
import { claimOf, concurrency, retry, untilShown } from "./own-run.ts";

const kind = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
const lookAgainMs = 1_000;

export function definitionReconciler(intents: Intents): Reconciler {
  return {
    kind: definitionsKind,
    ownsStatus: true,
    concurrency,
    retry,
    reconcile: async (definition, context) => {
      const { name, deletionTimestamp, finalizers = [] } = definition.metadata;
      if (deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return done();
      await untilShown(intents, definition, context);
      const claim = claimOf(definitionsKind, definition, context);
      const againMs = await endDefinition(intents, name, { claim, signal: context.signal });
      return againMs === undefined ? done() : again(againMs);
    },
  };
}

/** Milliseconds until the next try; undefined when all resources of the kind are deleted. */
async function endDefinition(
  intents: Intents,
  name: string,
  run: DeletingRun,
): Promise<number | undefined> {
  const served = intents.kinds.byId(name);
  // Resources of a form belong to the kind that is stored.
  if (served !== undefined && served.form === undefined) {
    await reportProgress(intents, name, [], run);
    const { count, refusals } = await deleteContent(intents, served, undefined, run);
    if (refusals.length > 0) await reportProgress(intents, name, refusals, run);
    if (count > 0) return lookAgainMs;
  }
  await removeFinalizer(intents, name, run);
  return undefined;
}

async function reportProgress(
  intents: Intents,
  name: string,
  refusals: readonly string[],
  { claim }: DeletingRun,
): Promise<void> {
  const nowMs = intents.clock.nowMs();
  const edit = (old: Resource): Resource => {
    // A refusal stays in the status until a later try has a result.
    const isFailed = findCondition(conditionsOf(old), "Terminating")?.reason === failedReason;
    if (isFailed && refusals.length === 0) return old;
    const message = `could not delete instances: [${refusals.join(", ")}]`;
    const stage: DeletionStage =
      refusals.length === 0 ? { kind: "in-progress" } : { kind: "failed", message };
    return { ...old, status: terminatingStatus(old, stage, nowMs) };
  };
  const options = { ...systemOptions, claim };
  await changeAsSystem(intents, { ...kind, name, subresource: "status", edit, options });
}

async function removeFinalizer(
  intents: Intents,
  name: string,
  { claim }: DeletingRun,
): Promise<void> {
  const edit = (old: Resource): Resource => {
    const kept = (old.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    return { ...old, metadata: { ...old.metadata, finalizers: kept } };
  };
  const options = { ...systemOptions, claim };
  await changeAsSystem(intents, { ...kind, name, edit, options });
}
