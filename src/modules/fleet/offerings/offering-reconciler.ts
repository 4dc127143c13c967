// Reconciles Offerings: the kind of the instances, the rights of members, the bounds of regions and
// the status. The kind is removed with the Offering, when no instance is left.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { ensure } from "../../../intents/bootstrap.ts";
import { installKind } from "../../../intents/install-kind.ts";
import { definitionsKind } from "../../../intents/kinds/definition-kinds.ts";
import type { Intents } from "../../../intents/request.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { isSetpointError, SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { deleteClaimed } from "../claimed-writes.ts";
import type { FleetState } from "../fleet-state.ts";
import { instanceKindOf } from "../kinds/instance-kind.ts";
import { instanceCount } from "../lifecycle/instance-count.ts";
import type { InstanceCounts } from "../lifecycle/instance-counts.ts";
import { fleetLimits } from "../limits.ts";
import { fleetVersion, offeringsKind, regionCapacitiesKind, regionCounter } from "../names.ts";
import { readOffering } from "../offering.ts";
import type { Offering } from "../offering.ts";
import { memberRoleDocument, offeringRole } from "./member-role.ts";
import { definitionOwner } from "./offering-guard.ts";
import { instanceKindId } from "./offering-index.ts";
import { regionCapacityName, regionMaxima, sharedMaxima } from "./region-capacity.ts";
import type { RegionMax } from "./region-capacity.ts";
import { boundShared } from "./shared-capacity.ts";

export interface OfferingPorts {
  readonly store: Pick<Store, "list" | "counter">;
  /** Without policies: a policy must not keep a kind from being installed. */
  readonly ownIntents: Intents;
  /** With the bounds of counters. */
  readonly intents: Intents;
  readonly state: Pick<FleetState, "clusters" | "offerings">;
  /** Undefined while the kind of the instances is new. */
  readonly countsOf: (offering: string) => InstanceCounts | undefined;
}

/** Raise it with each change of `instanceKindOf`: an older server keeps what a newer installed. */
const instanceKindVersion = 3;

export function offeringReconciler(ports: OfferingPorts): Reconciler {
  return {
    kind: offeringsKind,
    version: instanceKindVersion,
    reconcile: async (resource, context) => await reconcile(ports, resource, context),
    remove: async (resource, context) => await remove(ports, resource, context),
  };
}

async function reconcile(
  ports: OfferingPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const clusters = clustersIn(ports);
  const offering = readOffering(resource);
  const refused = await install(ports, offering, context);
  if (refused !== undefined) return refused;
  await ensure(ports.ownIntents, memberRoleDocument);
  await context.children.apply(offeringRole(offering));
  const maxima = regionMaxima(offering, clusters);
  await bound(maxima, context);
  const all = [...others(ports, offering), offering];
  await boundShared(ports, context, sharedMaxima(all, clusters));
  const regions = await Promise.all(maxima.map(async (each) => await regionStatus(ports, each)));
  // The columns of `kubectl get` show both.
  const counts = { ready: 0, failed: 0, ...ports.countsOf(offering.name)?.byPhase() };
  return done({
    status: {
      endpoints: endpointsOf(offering),
      instances: withoutStale(resource, counts),
      regions,
    },
  });
}

/** Throws while this process stops: a region without clusters would lose its bound. */
function clustersIn({ state }: OfferingPorts): Parameters<typeof regionMaxima>[1] {
  const clusters = state.clusters();
  if (clusters === undefined) {
    throw new SetpointError("module.unavailable", "the clusters of the fleet are not followed");
  }
  return (...place) => clusters.inRegion(...place);
}

function others({ state }: OfferingPorts, { name }: Offering): readonly Offering[] {
  return state.offerings.all().filter((each) => each.name !== name);
}

/** Undefined when the kind is installed. */
async function install(
  { ownIntents }: OfferingPorts,
  offering: Offering,
  context: Context,
): Promise<Outcome | undefined> {
  const module = { name: definitionOwner(offering.name), version: instanceKindVersion };
  try {
    const outcome = await fencedWrite(
      context,
      async ({ claim }) =>
        await installKind(ownIntents, instanceKindOf(offering), module, { claim }),
    );
    if (outcome !== "terminating") return undefined;
    const message = `the kind ${instanceKindId(offering)} is being deleted`;
    return again(fleetLimits.emptyCheckMs, { reason: "KindDeleted", message });
  } catch (error) {
    const reason = isSetpointError(error) ? refusedReasons.get(error.code) : undefined;
    if (reason === undefined || !isSetpointError(error)) throw error;
    return failed(reason, error.message, { retry: "slow" });
  }
}

const refusedReasons: ReadonlyMap<string, string> = new Map([
  ["kind.incompatible", "Incompatible"],
  ["resource.not_owned", "NamesTaken"],
  ["resource.invalid", "NamesTaken"],
]);

/** One RegionCapacity for each region that has a bound. */
async function bound(maxima: readonly RegionMax[], { children }: Context): Promise<void> {
  const wanted = new Set<string>();
  for (const { max, ...place } of maxima) {
    if (max === undefined) continue;
    const name = regionCapacityName(place);
    wanted.add(name);
    const spec = { ...place, max };
    await children.apply({
      apiVersion: fleetVersion,
      kind: "RegionCapacity",
      metadata: { name },
      spec,
    });
  }
  for (const { metadata } of await children.list(regionCapacitiesKind)) {
    if (wanted.has(metadata.name)) continue;
    await children.delete({ kind: regionCapacitiesKind, name: metadata.name });
  }
}

async function regionStatus({ store }: OfferingPorts, place: RegionMax): Promise<JsonObject> {
  const { provider, region, type, max } = place;
  const { value: used } = await store.counter(regionCounter(place));
  return { provider, region, type, used, ...(max === undefined ? {} : { capacity: max }) };
}

function endpointsOf({ instances }: Offering): JsonObject {
  const root = `/api/${instances.plural}_mgmt/v1`;
  return { public: root, admin: `${root}/admin`, agent: `${root}/agent-clusters` };
}

/** A merge would keep phases that have no instances any more. */
function withoutStale({ status }: Resource, counts: JsonObject): JsonObject {
  const before = Object.keys(objectAt(status, "instances"));
  return { ...Object.fromEntries(before.map((phase) => [phase, null])), ...counts };
}

async function remove(
  ports: OfferingPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const offering = readOffering(resource);
  const kind = instanceKindId(offering);
  const key = { kind: definitionsKind, namespace: "", name: kind };
  const definition = await context.references.get(key);
  if (definition === undefined || !isOwn(definition, offering)) return done();
  const count = await instanceCount(ports.store, [offering]);
  if (count.instances > 0) {
    const message = `it has ${count.text}`;
    return again(fleetLimits.emptyCheckMs, { reason: "InUse", message });
  }
  await boundShared(ports, context, sharedMaxima(others(ports, offering), clustersIn(ports)));
  await deleteClaimed(ports.ownIntents, context, key);
  const message = `the kind ${kind} is being deleted`;
  return again(fleetLimits.emptyCheckMs, { reason: "KindDeleted", message });
}

function isOwn({ metadata }: Resource, { name }: Offering): boolean {
  return metadata.annotations?.[annotations.module] === definitionOwner(name);
}
