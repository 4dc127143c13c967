// The record of a deleted instance: a DeletedInstance in the namespace of the organisation, named
// by the id. It is what the fleet managers call a soft-deleted row.

import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { deletedInstancesKind, fleetVersion } from "../names.ts";
import type { InstanceRun } from "./instance-run.ts";

export function deletedInstanceKey(namespace: string, id: string): ResourceKey {
  return { kind: deletedInstancesKind, namespace, name: id };
}

/**
 * Creates or completes the record. Returns false when the namespace of the organisation is being
 * deleted: then no record can be kept.
 */
export async function recordDeletion(run: InstanceRun, fields: JsonObject): Promise<boolean> {
  const { ports, context, instance, offering, resource } = run;
  const spec: JsonObject = {
    offering: offering.name,
    id: instance.id,
    name: instance.name,
    owner: instance.owner,
    createdAt: timeText(instance.createdAtMs),
    lastPhase: instance.phase,
    ...timesOf(resource),
    instance: objectAt(resource, "spec"),
    ...fields,
  };
  try {
    await put(ports.intents, context, instance.namespace, spec);
    return true;
  } catch (error) {
    const isRefused =
      isSetpointError(error, "request.forbidden") || isSetpointError(error, "resource.not_found");
    // A policy of users may refuse the record as well: then the instance must stay.
    if (isRefused && isEndingNamespace(run, instance.namespace)) return false;
    throw error;
  }
}

/** From when to when it was used. */
function timesOf({ metadata, status }: Resource): JsonObject {
  const readyAt = textAt(status, "readyAt");
  const { deletionTimestamp: endedAt } = metadata;
  return {
    ...(readyAt === "" ? {} : { readyAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
}

function isEndingNamespace({ ports }: InstanceRun, name: string): boolean {
  const namespace = ports.live.get({ kind: "namespaces", namespace: "", name });
  return namespace?.resource.metadata.deletionTimestamp !== undefined || namespace === undefined;
}

async function put(
  intents: Intents,
  context: Context,
  namespace: string,
  spec: JsonObject,
): Promise<void> {
  const name = textAt(spec, "id");
  const target = deletedTarget(intents, namespace, name);
  const metadata = { namespace, name };
  const body = { apiVersion: fleetVersion, kind: "DeletedInstance", metadata, spec };
  await fencedWrite(context, async ({ claim, cause }) => {
    const caller = systemCallerFor(cause);
    const options = { ...systemOptions, claim };
    return await updateResource(intents, {
      caller,
      target,
      options,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: { ...old, spec: { ...objectAt(old, "spec"), ...spec } } }),
      create: async () =>
        await createResource(intents, { caller, target, body, options, decodeProblems: [] }),
      allowsBlind: true,
    });
  });
}

/** Deletes the record under the claim of a run. */
export async function forgetDeletion(
  intents: Intents,
  context: Context,
  { metadata }: Pick<Resource, "metadata">,
): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      return await deleteResource(intents, {
        caller: systemCallerFor(cause),
        target: deletedTarget(intents, namespace, name),
        options: {
          isDryRun: false,
          propagation: "Background",
          preconditions: { uid },
          raw: {},
          claim,
        },
      });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

export function deletedTarget({ kinds }: Intents, namespace: string, name: string): Target {
  const served = kinds.byId(deletedInstancesKind);
  if (served === undefined) throw new Error("DeletedInstances are always served");
  return { served, version: served.storage, namespace, name, subresource: "" };
}
