// Writes of resources in other namespaces under the claim of a run: refused once the claim is lost,
// and recorded with the cause of the run.

import type { Context } from "../../engine/reconciler.ts";
import { fencedWrite } from "../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions, targetFor } from "../../intents/bootstrap.ts";
import type { Intents, Target } from "../../intents/request.ts";
import { createResource } from "../../intents/write/create.ts";
import { deleteResource } from "../../intents/write/delete.ts";
import { updateResource } from "../../intents/write/update.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt } from "../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";

export async function createClaimed(
  intents: Intents,
  context: Context,
  body: JsonObject,
): Promise<Resource> {
  const { target } = targetFor(intents, body);
  const written = await fencedWrite(
    context,
    async ({ claim, cause }) =>
      await createResource(intents, {
        caller: systemCallerFor(cause),
        target,
        body,
        options: { ...systemOptions, claim },
        decodeProblems: [],
      }),
  );
  return decodeDocument(written.body, written.revision);
}

/** Creates the resource, or gives an existing one the labels and the spec. */
export async function putClaimed(
  intents: Intents,
  context: Context,
  body: JsonObject,
): Promise<void> {
  const { target, name } = targetFor(intents, body);
  const labels = objectAt(body, "metadata", "labels") as Readonly<Record<string, string>>;
  const edit = (old: Resource): Resource => ({
    ...old,
    metadata: { ...old.metadata, labels: { ...old.metadata.labels, ...labels } },
    spec: objectAt(body, "spec"),
  });
  await fencedWrite(context, async ({ claim, cause }) => {
    const caller = systemCallerFor(cause);
    const options = { ...systemOptions, claim };
    await updateResource(intents, {
      caller,
      target: { ...target, name },
      options,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
      create: async () =>
        await createResource(intents, { caller, target, body, options, decodeProblems: [] }),
      allowsBlind: true,
    });
  });
}

/** `edit` is called again with the newer document when another writer was faster. */
export async function updateClaimed(
  intents: Intents,
  context: Context,
  key: ResourceKey,
  edit: (old: Resource) => Resource,
): Promise<Resource> {
  const written = await fencedWrite(
    context,
    async ({ claim, cause }) =>
      await updateResource(intents, {
        caller: systemCallerFor(cause),
        target: targetAt(intents, key),
        options: { ...systemOptions, claim },
        optionsKind: "PatchOptions",
        change: (old) => ({ wanted: edit(old) }),
        allowsBlind: true,
      }),
  );
  return decodeDocument(written.body, written.revision);
}

/** A resource that does not exist is no error. */
export async function deleteClaimed(
  intents: Intents,
  context: Context,
  key: ResourceKey,
): Promise<void> {
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await deleteResource(intents, {
        caller: systemCallerFor(cause),
        target: targetAt(intents, key),
        options: { isDryRun: false, propagation: undefined, preconditions: {}, raw: {}, claim },
      });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

function targetAt({ kinds }: Intents, { kind, namespace, name }: ResourceKey): Target {
  const served = kinds.byId(kind);
  if (served === undefined) throw new Error(`the kind ${kind} is not served`);
  return { served, version: served.storage, namespace, name, subresource: "" };
}
