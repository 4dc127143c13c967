// Deletes namespaces: first everything in them, then the finalizer that stands for their content,
// which removes them. The conditions of the namespace say what delays the deletion. Types, reasons
// and messages are those of Kubernetes.

import { appendAll } from "../kernel/append.ts";
import { setCondition } from "../kernel/conditions.ts";
import type { Condition, ConditionInput } from "../kernel/conditions.ts";
import { equalJson, isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import { systemOptions } from "../intents/bootstrap.ts";
import { changeAsSystem } from "../intents/housekeeping/system-change.ts";
import type { Intents } from "../intents/request.ts";
import { deleteContent } from "./content.ts";
import type { DeletingRun } from "./content.ts";

const namespaces = { group: "", plural: "namespaces" };
const contentFinalizer = "kubernetes";
const lookAgainMs = 1_000;
const shownRefusals = 5;

/** Milliseconds until the next try; undefined when all content is deleted. */
export async function endNamespace(
  intents: Intents,
  name: string,
  run: DeletingRun,
): Promise<number | undefined> {
  const options = { ...systemOptions, claim: run.claim };
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const refusals: string[] = [];
  for (const served of intents.kinds.all()) {
    if (served.kind.scope !== "Namespaced" || !served.verbs.includes("delete")) continue;
    const left = await deleteContent(intents, served, name, run);
    if (left.count > 0) remaining.set(served.id, left.count);
    appendAll(refusals, left.refusals);
    for (const [finalizer, count] of left.finalizers) {
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
    }
  }
  if (remaining.size === 0) {
    const subresource = "finalize";
    await changeAsSystem(intents, {
      ...namespaces,
      name,
      subresource,
      edit: withoutContentFinalizer,
      options,
    });
    return undefined;
  }
  const nowMs = intents.clock.nowMs();
  const edit = (namespace: Resource): Resource =>
    withConditions(namespace, conditionsFor(remaining, finalizers, refusals), nowMs);
  await changeAsSystem(intents, { ...namespaces, name, subresource: "status", edit, options });
  return lookAgainMs;
}

function withoutContentFinalizer(namespace: Resource): Resource {
  const { spec } = namespace;
  const finalizers =
    isJsonObject(spec) && isJsonArray(spec["finalizers"]) ? spec["finalizers"] : [];
  const others = finalizers.filter((finalizer) => finalizer !== contentFinalizer);
  return { ...namespace, spec: others.length === 0 ? {} : { finalizers: others } };
}

function conditionsFor(
  remaining: ReadonlyMap<string, number>,
  finalizers: ReadonlyMap<string, number>,
  refusals: readonly string[],
): readonly ConditionInput[] {
  const content = [...remaining].map(([kind, count]) => `${kind} has ${count} resource instances`);
  const waits = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  const isContent = content.length > 0;
  const isWaiting = waits.length > 0;
  const isRefused = refusals.length > 0;
  const failures = `[${refusals.slice(0, shownRefusals).join(", ")}]`;
  return [
    {
      type: "NamespaceDeletionContentFailure",
      status: isRefused ? "True" : "False",
      reason: isRefused ? "ContentDeletionFailed" : "ContentDeleted",
      message: isRefused
        ? `Failed to delete all resource types, ${refusals.length} remaining: ${failures}`
        : "All content successfully deleted, may be waiting on finalization",
    },
    {
      type: "NamespaceContentRemaining",
      status: isContent ? "True" : "False",
      reason: isContent ? "SomeResourcesRemain" : "ContentRemoved",
      message: isContent
        ? `Some resources are remaining: ${content.sort().join(", ")}`
        : "All content successfully removed",
    },
    {
      type: "NamespaceFinalizersRemaining",
      status: isWaiting ? "True" : "False",
      reason: isWaiting ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
      message: isWaiting
        ? `Some content in the namespace has finalizers remaining: ${waits.sort().join(", ")}`
        : "All content-preserving finalizers finished",
    },
  ];
}

function withConditions(
  namespace: Resource,
  inputs: readonly ConditionInput[],
  nowMs: number,
): Resource {
  const status = isJsonObject(namespace.status) ? namespace.status : {};
  const before = (status["conditions"] ?? []) as unknown as readonly Condition[];
  let conditions = before;
  for (const input of inputs) conditions = setCondition(conditions, input, nowMs);
  const next = conditions as unknown as Json;
  if (equalJson(next, before)) return namespace;
  return { ...namespace, status: { ...status, conditions: next } };
}
