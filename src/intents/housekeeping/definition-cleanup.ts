// Ends kinds: when a definition is deleted, its documents are deleted first, then the finalizer
// that stands for them is taken away, which removes the definition.

import { isSetpointError } from "../../kernel/errors.ts";
import type { Resource } from "../../kernel/resource.ts";
import { systemCaller, systemOptions } from "../bootstrap.ts";
import { cleanupFinalizer, terminatingStatus } from "../kinds/definition-deletion.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import type { Intents, Target } from "../request.ts";
import { updateResource } from "../write/update.ts";
import { deleteContent } from "./content.ts";

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
  await change(intents, name, "status", (old) => ({
    ...old,
    status: terminatingStatus(old, { kind: "in-progress" }, nowMs),
  }));
}

async function removeFinalizer(intents: Intents, name: string): Promise<void> {
  await change(intents, name, "", (old) => {
    const kept = (old.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    return { ...old, metadata: { ...old.metadata, finalizers: kept } };
  });
}

async function change(
  intents: Intents,
  name: string,
  subresource: string,
  edit: (definition: Resource) => Resource,
): Promise<void> {
  const found = intents.kinds.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (found === undefined) throw new Error("definitions are always served");
  const target: Target = { ...found, namespace: "", name, subresource };
  try {
    await updateResource(intents, {
      caller: systemCaller,
      target,
      options: systemOptions,
      optionsKind: "UpdateOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  } catch (error) {
    // Another process was faster.
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}
