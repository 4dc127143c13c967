// Writes the ManagedInstances of an instance, through the write path and under the claim of the
// instance. Each write is idempotent: a run that stopped half-way is repeated.

import type { Context } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { fleetVersion, forceDeleteAnnotation, managedInstanceKey } from "../names.ts";
import { managedInstancesKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import { wantedVersions } from "./instance.ts";
import type { Instance } from "./instance.ts";

export interface ManagedPorts {
  /** With the policies that count the capacity of clusters. */
  readonly intents: Intents;
}

export interface WantedManaged {
  readonly offering: Offering;
  readonly instance: Instance;
  readonly cluster: string;
  readonly placementId: string;
  /** Absent while the instance is prepared: the agent ignores it until it has a host. */
  readonly host: string | undefined;
  readonly isSuspended: boolean;
}

export function managedSpec(wanted: WantedManaged): JsonObject {
  const { offering, instance, placementId, host, isSuspended } = wanted;
  const { namespace, name, uid, type, owner, organisation, traits, parameters } = instance;
  const units = offering.types.find((each) => each.name === type)?.units ?? 1;
  return {
    offering: offering.name,
    instance: { namespace, name, uid },
    placementId,
    type,
    units,
    owners: [owner],
    organisation,
    ...(host === undefined || host === "" ? {} : { host }),
    versions: wantedVersions(instance),
    isSuspended,
    traits,
    parameters,
  };
}

/**
 * Creates the ManagedInstance or brings its spec to what is wanted. Throws
 * fleet.capacity_reached when the cluster has no room.
 */
export async function putManaged(
  { intents }: ManagedPorts,
  context: Context,
  wanted: WantedManaged,
): Promise<void> {
  const spec = managedSpec(wanted);
  const edit = (old: Resource): Resource => {
    if (old.metadata.deletionTimestamp === undefined) return { ...old, spec };
    throw new SetpointError("fleet.capacity_reached", "an earlier placement is being removed");
  };
  const key = managedInstanceKey(wanted.cluster, wanted.instance.id);
  const target = managedTarget(intents, key);
  const body = {
    apiVersion: fleetVersion,
    kind: "ManagedInstance",
    metadata: { namespace: key.namespace, name: key.name },
    spec,
  };
  await fencedWrite(context, async ({ claim, cause }) => {
    const caller = systemCallerFor(cause);
    const options = { ...systemOptions, claim };
    const create = async (): ReturnType<typeof createResource> =>
      await createResource(intents, { caller, target, body, options, decodeProblems: [] });
    return await updateResource(intents, {
      caller,
      target,
      options,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
      create,
      allowsBlind: true,
    });
  });
}

/** Whether the stored spec is not the wanted one. */
export function isOutdated(managed: Resource, wanted: WantedManaged): boolean {
  return !equalJson(managed.spec ?? null, managedSpec(wanted));
}

/** Whether the ManagedInstance belongs to this instance, and not to an earlier one of its id. */
export function belongsTo(managed: Resource, instance: Pick<Instance, "uid">): boolean {
  return textAt(managed.spec, "instance", "uid") === instance.uid;
}

export interface RemovedManaged {
  readonly cluster: string;
  readonly id: string;
  /** The reason why the removal does not wait for the agent. */
  readonly force?: string | undefined;
}

/**
 * Requests the deletion, in one commit. The agent completes it, unless it is forced or no agent has
 * received the instance: see removal.ts.
 */
export async function deleteManaged(
  { intents }: ManagedPorts,
  context: Context,
  { cluster, id, force }: RemovedManaged,
): Promise<void> {
  const key = managedInstanceKey(cluster, id);
  const target = managedTarget(intents, key);
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      const caller = systemCallerFor(cause);
      const raw = { propagationPolicy: "Background" };
      const annotations = force === undefined ? {} : { [forceDeleteAnnotation]: force };
      const options = { isDryRun: false, preconditions: {}, raw, claim, annotations };
      return await deleteResource(intents, {
        caller,
        target,
        options: { ...options, propagation: "Background" },
      });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

function managedTarget({ kinds }: Intents, { namespace, name }: ResourceKey): Target {
  const served = kinds.byId(managedInstancesKind);
  if (served === undefined) throw new Error("ManagedInstances are always served");
  return { served, version: served.storage, namespace, name, subresource: "" };
}
