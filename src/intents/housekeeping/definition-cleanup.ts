// Ends kinds: when a definition is deleted, its documents are deleted first, then the finalizer
// that stands for them is taken away, which removes the definition.

import type { Resource } from "../../kernel/resource.ts";
import { cleanupFinalizer, terminatingStatus } from "../kinds/definition-deletion.ts";
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
    await tellProgress(intents, name);
    const { count } = await deleteContent(intents, served, undefined);
    if (count > 0) return lookAgainMs;
  }
  await removeFinalizer(intents, name);
  return undefined;
}

async function tellProgress(intents: Intents, name: string): Promise<void> {
  const nowMs = intents.clock.nowMs();
  const edit = (old: Resource): Resource => ({
    ...old,
    status: terminatingStatus(old, { kind: "in-progress" }, nowMs),
  });
  await changeAsSystem(intents, { ...kind, name, subresource: "status", edit });
}

async function removeFinalizer(intents: Intents, name: string): Promise<void> {
  const edit = (old: Resource): Resource => {
    const kept = (old.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    return { ...old, metadata: { ...old.metadata, finalizers: kept } };
  };
  await changeAsSystem(intents, { ...kind, name, edit });
}
