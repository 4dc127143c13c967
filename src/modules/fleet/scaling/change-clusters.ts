// The writes of a ScalingRule: clusters that it creates, drains and removes, through the write path
// and under its claim.

import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { clustersKind, scalingRuleLabel } from "../names.ts";
import { clusterName, newCluster } from "./new-cluster.ts";
import type { ScalingRule } from "./rule.ts";

export interface ChangeClusterPorts {
  /** With the rules of clusters. */
  readonly intents: Intents;
}

/** Returns the rule as it is now: the number of the name was stored first. */
export async function createCluster(
  { intents }: ChangeClusterPorts,
  context: Context,
  rule: ScalingRule,
): Promise<ScalingRule> {
  const sequence = rule.sequence + 1;
  await context.status.patch({ sequence });
  const body = newCluster(rule, clusterName(rule, sequence));
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      return await createResource(intents, {
        caller: systemCallerFor(cause),
        target: clusterTarget(intents, ""),
        body,
        options: { ...systemOptions, claim },
        decodeProblems: [],
      });
    });
  } catch (error) {
    // Another author has used the name: the next step takes the next number.
    if (!isSetpointError(error, "resource.already_exists")) throw error;
  }
  return { ...rule, sequence };
}

export interface ChangedCluster {
  readonly rule: ScalingRule;
  readonly id: string;
}

export async function setDraining(
  { intents }: ChangeClusterPorts,
  context: Context,
  { rule, id, isDraining }: ChangedCluster & { readonly isDraining: boolean },
): Promise<void> {
  const edit = (old: Resource): Resource =>
    isOwn(rule, old) ? { ...old, spec: { ...objectAt(old, "spec"), isDraining } } : old;
  await unlessMissing(
    fencedWrite(context, async ({ claim, cause }) => {
      return await updateResource(intents, {
        caller: systemCallerFor(cause),
        target: clusterTarget(intents, id),
        options: { ...systemOptions, claim },
        optionsKind: "PatchOptions",
        change: (old) => ({ wanted: edit(old) }),
        allowsBlind: true,
      });
    }),
  );
}

/** It is drained, so its removal waits for what is still on it. */
export async function removeCluster(
  { intents }: ChangeClusterPorts,
  context: Context,
  { id }: ChangedCluster,
): Promise<void> {
  await unlessMissing(
    fencedWrite(context, async ({ claim, cause }) => {
      return await deleteResource(intents, {
        caller: systemCallerFor(cause),
        target: clusterTarget(intents, id),
        options: { isDryRun: false, propagation: undefined, preconditions: {}, raw: {}, claim },
      });
    }),
  );
}

async function unlessMissing(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

export function isOwn({ name }: Pick<ScalingRule, "name">, { metadata }: Resource): boolean {
  return metadata.labels?.[scalingRuleLabel] === name;
}

function clusterTarget({ kinds }: Intents, name: string): Target {
  const served = kinds.byId(clustersKind);
  if (served === undefined) throw new Error("DataPlaneClusters are always served");
  return { served, version: served.storage, namespace: "", name, subresource: "" };
}
