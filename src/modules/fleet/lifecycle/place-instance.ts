// Performs the step "place": chooses a cluster, records the choice, then creates the
// ManagedInstance there. The choice is stored first, so that a repeated run continues with it and
// no second ManagedInstance is created. A cluster without room is recorded, and the next one is
// tried.

import { timeText } from "../../../kernel/clock.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { spanText } from "../../../kernel/span-text.ts";
import { fleetLimits } from "../limits.ts";
import { place, typeRefusal } from "../placement/place.ts";
import type { Candidate, Placement, PlacementRequest } from "../placement/place.ts";
import { hostOf } from "./host.ts";
import { noClusterMessage } from "./no-cluster-message.ts";
import type { InstanceRun } from "./instance-run.ts";
import { isHandedOver } from "./instance.ts";
import { putManaged } from "./managed.ts";
import type { Against } from "./no-cluster-message.ts";
import { isSuspension } from "./phases.ts";

const maxReasons = fleetLimits.maxPlacementReasons;
const maxReasonChars = fleetLimits.maxReportMessageChars;

export type Placed =
  | { readonly kind: "placed"; readonly cluster: string }
  | {
      readonly kind: "none";
      readonly reason: string;
      readonly message: string;
      readonly afterMs: number;
    }
  /** No cluster was found in the time that the Offering allows. */
  | { readonly kind: "failed"; readonly message: string };

export async function placeInstance(run: InstanceRun): Promise<Placed> {
  const { placement: earlier } = run.instance;
  // An earlier run may have recorded the choice without creating the ManagedInstance.
  if (earlier !== undefined && (await tryCluster(run)) === undefined) {
    return { kind: "placed", cluster: earlier.cluster };
  }
  const placement = await chosen(run);
  const full: (Against & JsonObject)[] = [];
  for (const candidate of placement.candidates.slice(0, fleetLimits.maxPlacementAttempts)) {
    const { cluster, reason } = candidate;
    const why = [{ cluster, reason }, ...full, ...whyOf(placement)];
    await run.record(placementStatus(run, candidate, why.slice(0, maxReasons)));
    const refusal = await tryCluster(run);
    if (refusal === undefined) return { kind: "placed", cluster };
    full.push({ cluster, reason: refusal });
  }
  const why = [...full, ...whyOf(placement)].slice(0, maxReasons);
  await run.record({ placement: { cluster: null, placementId: null, why } });
  return unplaced(run, placement, full);
}

/** Whether another cluster can host the instance, as far as this process knows. */
export function canBePlaced(run: InstanceRun): boolean {
  const { leaving, placement } = run.instance;
  const present = placement === undefined ? [] : [placement.cluster];
  const request = { ...requestOf(run), leaving: [...leaving, ...present] };
  return place(request, clustersOf(run)).candidates.length > 0;
}

/** Whether the type of the instance was changed to one that its cluster cannot host. */
export function hasOutgrown(run: InstanceRun, managedType: string): boolean {
  const { placement, type } = run.instance;
  if (managedType === type) return false;
  const cluster = clustersOf(run).find(({ id }) => id === placement?.cluster);
  return cluster !== undefined && typeRefusal(requestOf(run), cluster) !== undefined;
}

async function chosen(run: InstanceRun): Promise<Placement> {
  const { ports, offering, context, resource } = run;
  const placement = place(requestOf(run), clustersOf(run));
  const at = { offering: offering.name, instance: resource };
  return (await ports.state.hooks.choose(at, placement, context)) ?? placement;
}

function clustersOf({ ports, instance }: InstanceRun): Parameters<typeof place>[1] {
  return ports.state.clusters()?.inRegion(instance.provider, instance.region) ?? [];
}

function requestOf({ offering, instance, nowMs }: InstanceRun): PlacementRequest {
  const { organisation, provider, region, isMultiAz, type, assigned, leaving } = instance;
  const units = offering.types.find(({ name }) => name === type)?.units ?? 1;
  // A cluster that was full is asked again later, and when an administrator assigned it.
  const isAskedAgain =
    assigned.cluster !== undefined || nowMs >= instance.placedAtMs + fleetLimits.refusedRetryMs;
  return {
    offering: offering.name,
    organisation,
    provider,
    region,
    isMultiAz,
    type,
    units,
    cluster: assigned.cluster,
    refusedBy: isAskedAgain ? [] : instance.refusedBy,
    leaving,
  };
}

const noRoom = "had no room when the instance was placed";

/** Undefined when the ManagedInstance exists on the cluster that the status names, else why not. */
async function tryCluster(run: InstanceRun): Promise<string | undefined> {
  const { ports, offering, context, instance } = run;
  const { cluster = "", placementId = "" } = instance.placement ?? {};
  const host = isHandedOver(instance) ? instance.host : undefined;
  const isSuspended = isSuspension(instance.phase);
  try {
    const wanted = { offering, instance, cluster, placementId, host, isSuspended };
    await putManaged(ports, context, wanted);
    return undefined;
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    const fields = { cluster, instance: instance.id, reason };
    context.log.info(fields, "cluster does not take the instance");
    return reason;
  }
}

/** Undefined for what is not a refusal of the cluster. */
export function refusalOf(error: unknown): string | undefined {
  const isFull =
    isSetpointError(error, "counter.exceeded") || isSetpointError(error, "fleet.capacity_reached");
  if (isFull) return noRoom;
  // A policy is against it, or the namespace of the cluster does not exist or is being deleted.
  const isRefused =
    isSetpointError(error, "request.forbidden") ||
    isSetpointError(error, "resource.invalid") ||
    isSetpointError(error, "resource.not_found");
  if (!isRefused) return undefined;
  return shortText(`the server refuses the instance: ${error.message}`, maxReasonChars);
}

function placementStatus(
  run: InstanceRun,
  { cluster, versions }: Candidate,
  why: readonly JsonObject[],
): JsonObject {
  const { instance, context, offering } = run;
  const { singular, kind } = offering.instances;
  return {
    placement: {
      cluster,
      placementId: newPlacementId(context),
      attempts: instance.attempts + 1,
      at: timeText(run.nowMs),
      why,
    },
    desiredVersions: versions === undefined ? null : { ...versions },
    host: hostOn(run, cluster),
    namespace: `${singular ?? kind.toLowerCase()}-${instance.id}`,
  };
}

function hostOn({ instance, offering, ports }: InstanceRun, cluster: string): string {
  // A host is chosen once, unless it is below the domain of the cluster.
  if (instance.host !== "" && offering.domain !== undefined) return instance.host;
  const clusterDomain = ports.state.clusters()?.get(cluster)?.dns ?? "";
  const { plural: product } = offering.instances;
  const { name, id } = instance;
  return hostOf({ name, id, domain: offering.domain, clusterDomain, product });
}

export function newPlacementId(context: Context): string {
  return Buffer.from(context.random.bytes(10)).toString("hex");
}

function whyOf({ excluded }: Placement): readonly JsonObject[] {
  return excluded.slice(0, maxReasons).map(({ cluster, reason }) => ({ cluster, reason }));
}

/** A change of a cluster wakes the instance; the time is for what no event reports. */
function unplaced(
  run: InstanceRun,
  { excluded, candidates }: Placement,
  full: readonly Against[],
): Placed {
  const { instance, offering, nowMs } = run;
  const { placement, versions, creation } = offering.timeouts;
  const lacksVersion = excluded.some((each) => each.lacksVersion);
  const message = lacksVersion
    ? "no cluster of the region reports a version that is ready"
    : noClusterMessage(instance, excluded.length + candidates.length, [...full, ...excluded]);
  if (isSuspension(instance.phase)) {
    return { kind: "none", reason: "NoCluster", message, afterMs: fleetLimits.placementRetryMs };
  }
  const sinceMs = instance.phase === "accepted" ? instance.createdAtMs : instance.phaseSinceMs;
  const limitMs = lacksVersion ? versions : placement;
  const deadlineMs = Math.min(sinceMs + limitMs, instance.budgetSinceMs + creation);
  if (nowMs >= deadlineMs) {
    const waitedMs = nowMs >= sinceMs + limitMs ? limitMs : creation;
    return { kind: "failed", message: `${message}, for ${spanText(waitedMs)}` };
  }
  const afterMs = Math.min(fleetLimits.placementRetryMs, deadlineMs - nowMs);
  return { kind: "none", reason: "NoCluster", message, afterMs };
}
