// Performs the step "place": chooses a cluster, records the choice, then creates the
// ManagedInstance there. The choice is stored first, so that a repeated run continues with it and
// no second ManagedInstance is created. A cluster without room is recorded, and the next one is
// tried.

import type { Context } from "../../../engine/reconciler.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { spanText } from "../../../kernel/span-text.ts";
import type { FleetState } from "../fleet-state.ts";
import { fleetLimits } from "../limits.ts";
import { clusterKey } from "../names.ts";
import type { Offering } from "../offering.ts";
import { place } from "../placement/place.ts";
import type { Candidate, Placement, PlacementRequest } from "../placement/place.ts";
import { readInstance } from "./instance.ts";
import type { Instance } from "./instance.ts";
import { putManaged } from "./managed.ts";
import type { ManagedPorts } from "./managed.ts";

export interface PlaceInput {
  readonly ports: ManagedPorts & { readonly state: FleetState };
  readonly offering: Offering;
  readonly context: Context;
  readonly resource: Resource;
  /** Writes the status now, and returns the resource with it. */
  readonly record: (status: JsonObject) => Promise<Resource>;
  /** The host, for an instance that is prepared already. */
  readonly hostOn: (instance: Instance, cluster: string) => string | undefined;
}

export type Placed =
  | { readonly kind: "placed"; readonly resource: Resource }
  | { readonly kind: "none"; readonly reason: string; readonly message: string }
  /** No cluster was found in the time that the Offering allows. */
  | { readonly kind: "failed"; readonly message: string };

export async function placeInstance(input: PlaceInput): Promise<Placed> {
  let { resource } = input;
  const instance = readInstance(resource);
  if (instance.placement !== undefined) {
    // An earlier run recorded the choice and did not create the ManagedInstance.
    const result = await tryCluster(input, resource);
    if (result === "placed") return { kind: "placed", resource };
  }
  const placement = await chosen(input, resource);
  for (const candidate of placement.candidates.slice(0, fleetLimits.maxPlacementAttempts)) {
    resource = await input.record(placementStatus(input, resource, candidate, placement));
    if ((await tryCluster(input, resource)) === "placed") return { kind: "placed", resource };
  }
  await input.record({ placement: { cluster: null, placementId: null, why: whyOf(placement) } });
  await followClusters(input, placement);
  return unplaced(input, instance, placement);
}

async function chosen(input: PlaceInput, resource: Resource): Promise<Placement> {
  const { ports, offering, context } = input;
  const instance = readInstance(resource);
  const request = requestOf(offering, instance);
  const clusters = ports.state.clusters()?.inRegion(instance.provider, instance.region) ?? [];
  const placement = place(request, clusters);
  const at = { offering: offering.name, instance: resource };
  return (await ports.state.hooks.choose(at, placement, context)) ?? placement;
}

function requestOf(offering: Offering, instance: Instance): PlacementRequest {
  const { organisation, provider, region, isMultiAz, type, assigned, placement } = instance;
  const units = offering.types.find(({ name }) => name === type)?.units ?? 1;
  return {
    offering: offering.name,
    organisation,
    provider,
    region,
    isMultiAz,
    type,
    units,
    cluster: assigned.cluster,
    // A cluster that an administrator assigned is asked again.
    refusedBy: assigned.cluster === undefined ? (placement?.refusedBy ?? []) : [],
  };
}

async function tryCluster(input: PlaceInput, resource: Resource): Promise<"placed" | "full"> {
  const { ports, offering, context } = input;
  const instance = readInstance(resource);
  const { cluster = "", placementId = "" } = instance.placement ?? {};
  const host = input.hostOn(instance, cluster);
  try {
    const wanted = { offering, instance, cluster, placementId, host, isSuspended: false };
    await putManaged(ports, context, wanted);
    return "placed";
  } catch (error) {
    const isRefused =
      isSetpointError(error, "counter.exceeded") ||
      isSetpointError(error, "fleet.capacity_reached") ||
      // The namespace of the cluster does not exist, or is being deleted.
      isSetpointError(error, "resource.not_found") ||
      isSetpointError(error, "request.forbidden");
    if (!isRefused) throw error;
    context.log.info({ cluster, instance: instance.id }, "cluster has no room for the instance");
    return "full";
  }
}

function placementStatus(
  { context, hostOn }: PlaceInput,
  resource: Resource,
  candidate: Candidate,
  placement: Placement,
): JsonObject {
  const { placement: before } = readInstance(resource);
  const { cluster, versions, reason } = candidate;
  const host = hostOn(readInstance(resource), cluster);
  const why = [{ cluster, reason }, ...whyOf(placement)].slice(0, fleetLimits.maxPlacementReasons);
  return {
    placement: {
      cluster,
      placementId: newPlacementId(context),
      attempts: (before?.attempts ?? 0) + 1,
      at: timeText(context.clock.nowMs()),
      why,
    },
    desiredVersions: versions === undefined ? null : { ...versions },
    ...(host === undefined ? {} : { host }),
  };
}

export function newPlacementId(context: Context): string {
  return Buffer.from(context.random.bytes(10)).toString("hex");
}

function whyOf({ excluded }: Placement): readonly JsonObject[] {
  const reasons = excluded.map(({ cluster, reason }) => ({ cluster, reason }));
  return reasons.slice(0, fleetLimits.maxPlacementReasons);
}

/** A change of one of these clusters wakes the instance. */
async function followClusters({ context }: PlaceInput, { excluded }: Placement): Promise<void> {
  for (const { cluster } of excluded.slice(0, fleetLimits.maxPlacementReasons)) {
    await context.references.get(clusterKey(cluster));
  }
}

function unplaced(
  { offering, context }: PlaceInput,
  instance: Instance,
  { excluded, candidates }: Placement,
): Placed {
  const { timeouts } = offering;
  const sinceMs = instance.phase === "accepted" ? instance.createdAtMs : instance.phaseSinceMs;
  const waitedMs = context.clock.nowMs() - sinceMs;
  const lacksVersion = excluded.some((each) => each.lacksVersion);
  const message = lacksVersion
    ? "no cluster of the region reports a version that is ready"
    : noClusterMessage(instance, excluded.length + candidates.length);
  const limitMs = lacksVersion ? timeouts.versions : timeouts.placement;
  if (waitedMs >= limitMs) {
    return { kind: "failed", message: `${message}, for ${spanText(limitMs)}` };
  }
  return { kind: "none", reason: "NoCluster", message };
}

function noClusterMessage({ provider, region }: Instance, clusters: number): string {
  const where = `${provider} ${region}`;
  if (clusters === 0) return `there is no cluster in ${where}`;
  return `none of the ${clusters} clusters in ${where} can host the instance`;
}
