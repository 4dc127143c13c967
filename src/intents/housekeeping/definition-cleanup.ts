// Ends kinds: when a definition is deleted, its documents are deleted first, then the finalizer
// that stands for them is taken away, which removes the definition.

import { findCondition } from "../../kernel/conditions.ts";
import type { Resource } from "../../kernel/resource.ts";
import { cleanupFinalizer, failedReason, terminatingStatus } from "../kinds/definition-deletion.ts";
import type { DeletionStage } from "../kinds/definition-deletion.ts";
import { conditionsOf } from "../kinds/definition-parts.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import type { Intents } from "../request.ts";
import { deleteContent } from "./content.ts";
import { changeAsSystem } from "./system-change.ts";

const kind = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
const lookAgainMs = 1_000;

/** Milliseconds until the definition should be looked at again; undefined when it is settled. */
export async function endDefinition(intents: Intents, name: string): Promise<number | undefined> {
  const record = intents.live.get({ kind: definitionsKind, namespace: "", name });
  const metadata = record?.resource.metadata;
  if (metadata?.deletionTimestamp === undefined) return undefined;
  if (!(metadata.finalizers ?? []).includes(cleanupFinalizer)) return undefined;
  const served = intents.kinds.byId(name);
  if (served !== undefined) {
    await tellProgress(intents, name, []);
    const { count, refusals } = await deleteContent(intents, served, undefined);
    if (refusals.length > 0) await tellProgress(intents, name, refusals);
    if (count > 0) return lookAgainMs;
  }
  await removeFinalizer(intents, name);
  return undefined;
}

async function tellProgress(
  intents: Intents,
  name: string,
  refusals: readonly string[],
): Promise<void> {
  const nowMs = intents.clock.nowMs();
  const edit = (old: Resource): Resource => {
    // What was refused before is tried again, and told as long as nothing better is known.
    const isFailed = findCondition(conditionsOf(old), "Terminating")?.reason === failedReason;
    if (isFailed && refusals.length === 0) return old;
    const message = `could not delete instances: [${refusals.join(", ")}]`;
    const stage: DeletionStage =
      refusals.length === 0 ? { kind: "in-progress" } : { kind: "failed", message };
    return { ...old, status: terminatingStatus(old, stage, nowMs) };
  };
  await changeAsSystem(intents, { ...kind, name, subresource: "status", edit });
}

async function removeFinalizer(intents: Intents, name: string): Promise<void> {
  const edit = (old: Resource): Resource => {
    const kept = (old.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    return { ...old, metadata: { ...old.metadata, finalizers: kept } };
  };
  await changeAsSystem(intents, { ...kind, name, edit });
}
