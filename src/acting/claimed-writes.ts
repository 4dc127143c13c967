// Writes of records under the claim of a run: refused once the claim is lost.

import type { Context } from "../engine/reconciler.ts";
import { fencedWrite } from "../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions, targetFor } from "../intents/bootstrap.ts";
import type { Intents, Target } from "../intents/request.ts";
import { createResource } from "../intents/write/create.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { updateResource } from "../intents/write/update.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Resource, ResourceKey } from "../kernel/resource.ts";

/** False: a resource of the name exists, such as one that an earlier attempt created. */
export async function createRecord(
  intents: Intents,
  context: Context,
  body: JsonObject,
): Promise<boolean> {
  const { target } = targetFor(intents, body);
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await createResource(intents, {
        caller: systemCallerFor(cause),
        target,
        body,
        options: { ...systemOptions, claim },
        decodeProblems: [],
      });
    });
    return true;
  } catch (error) {
    if (isSetpointError(error, "resource.already_exists")) return false;
    throw error;
  }
}

/** `edit` is called again with the newer document when another writer was faster. */
export async function updateRecord(
  intents: Intents,
  context: Context,
  key: ResourceKey,
  edit: (old: Resource) => Resource,
  subresource: "" | "status" = "",
): Promise<void> {
  await fencedWrite(context, async ({ claim, cause }) => {
    await updateResource(intents, {
      caller: systemCallerFor(cause),
      target: { ...targetAt(intents, key), subresource },
      options: { ...systemOptions, claim },
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  });
}

/** A resource that does not exist is no error. */
export async function deleteRecord(
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

export function targetAt({ kinds }: Intents, { kind, namespace, name }: ResourceKey): Target {
  const served = kinds.byId(kind);
  if (served === undefined) throw new Error(`the kind ${kind} is not served`);
  return { served, version: served.storage, namespace, name, subresource: "" };
}
