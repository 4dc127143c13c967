// The names that the parts of this module agree on: kinds, namespaces, counters, unique names.

import { hash } from "node:crypto";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { UniqueName } from "../../store/port.ts";

export const fleetGroup = "fleet.setpoint.dev";
export const fleetVersion = `${fleetGroup}/v1`;

export const offeringsKind = `offerings.${fleetGroup}`;
export const organisationsKind = `organisations.${fleetGroup}`;
export const clustersKind = `dataplaneclusters.${fleetGroup}`;
export const managedInstancesKind = `managedinstances.${fleetGroup}`;
export const regionCapacitiesKind = `regioncapacities.${fleetGroup}`;
export const deletedInstancesKind = `deletedinstances.${fleetGroup}`;
export const rolloutsKind = `rollouts.${fleetGroup}`;
export const scalingRulesKind = `scalingrules.${fleetGroup}`;
export const probesKind = `probes.${fleetGroup}`;

/**
 * `Caller.through` of the admin API and of the public API. The surface has authorised such a
 * caller: an administrator of the service need not be an administrator of this server.
 */
export const adminThrough = "fleet-admin";
export const publicThrough = "fleet";

/** Instances of an organisation are in its namespace, so a name is unique within it. */
export function organisationNamespace(id: string): string {
  return `org-${id}`;
}

/** Undefined for a namespace that belongs to no organisation. */
export function organisationOf(namespace: string): string | undefined {
  return namespace.startsWith("org-") ? namespace.slice("org-".length) : undefined;
}

/** What the agent of a cluster applies is in the namespace of the cluster. */
export function clusterNamespace(id: string): string {
  return `cluster-${id}`;
}

export function clusterOf(namespace: string): string | undefined {
  return namespace.startsWith("cluster-") ? namespace.slice("cluster-".length) : undefined;
}

/** The ServiceAccount in the namespace of a cluster that its agent uses. */
export const agentAccount = "agent";

/** Holds a ManagedInstance until its agent has reported that the placement is deleted. */
export const agentFinalizer = `${fleetGroup}/agent`;

/**
 * On a ManagedInstance or a DataPlaneCluster that is being deleted, with a reason: its removal does
 * not wait for the agent or the executor any more.
 */
export const forceDeleteAnnotation = `${fleetGroup}/force-delete`;

/**
 * On an instance: the routes that its agent reports replace the stored ones, once for each value,
 * such as the number of a ticket.
 */
export const acceptRoutesAnnotation = `${fleetGroup}/accept-routes`;

export function offeringKey(name: string): ResourceKey {
  return { kind: offeringsKind, namespace: "", name };
}

export function organisationKey(id: string): ResourceKey {
  return { kind: organisationsKind, namespace: "", name: id };
}

export function clusterKey(id: string): ResourceKey {
  return { kind: clustersKind, namespace: "", name: id };
}

/** A ManagedInstance has the id of its instance as its name. */
export function managedInstanceKey(cluster: string, id: string): ResourceKey {
  return { kind: managedInstancesKind, namespace: clusterNamespace(cluster), name: id };
}

/** Finds an instance by its id: see `Store.nameHolder`. */
export function idName(offering: string, id: string): UniqueName {
  return { scope: `fleet-id/${offering}`, name: id };
}

/** Held by an Offering: the plural is the word in the URL of its APIs. */
export function pluralName(plural: string): UniqueName {
  return { scope: "fleet-plural", name: plural };
}

/** Held by an instance of a type of which each owner may have one. */
export function onePerOwnerName(held: OwnedType): UniqueName {
  const { offering, organisation, type, owner } = held;
  return { scope: `fleet-owner/${offering}/${type}`, name: `${organisation}/${short(owner)}` };
}

export interface OwnedType {
  readonly offering: string;
  readonly organisation: string;
  readonly type: string;
  readonly owner: string;
}

/** Held by a Rollout that has not ended, for each region and type that it may change. */
export function rolloutName(offering: string, cell: string): UniqueName {
  return { scope: `fleet-rollout/${offering}`, name: cell };
}

/** Held by a ScalingRule: one rule for each region and type. */
export function scalingName(offering: string, cell: string): UniqueName {
  return { scope: `fleet-scaling/${offering}`, name: cell };
}

/** On a DataPlaneCluster that a ScalingRule created: the name of the rule. */
export const scalingRuleLabel = `${fleetGroup}/scaling-rule`;

/** On the instances of a Probe: its name. */
export const probeLabel = `${fleetGroup}/probe`;

/** On a Rollout that has ended: the time. It holds no names any more. */
export const rolloutEndedAnnotation = `${fleetGroup}/rollout-ended`;

/** Instances of an organisation, of one type, that count against a quota of the organisation. */
export function organisationCounter(offering: string, organisation: string, type: string): string {
  return `fleet/quota/${offering}/${organisation}/${type}`;
}

/** The same for a quota of one user in the organisation. */
export function userCounter({ offering, organisation, type, owner }: OwnedType): string {
  return `${organisationCounter(offering, organisation, type)}/${short(owner)}`;
}

/** Names of users can be longer than a counter may be. */
function short(user: string): string {
  return Buffer.byteLength(user) <= 200 ? user : `sha256:${hash("sha256", user, "hex")}`;
}

/** All instances of an offering; bounded by the Offering. */
export function offeringCounter(offering: string): string {
  return `fleet/offering/${offering}`;
}

/** Automatic removals of the last hour; bounded by the Offering. */
export function removalsCounter(offering: string): string {
  return `fleet/removals/${offering}`;
}

/** In place of a type: instances of all types in a region. */
export const allTypes = "*";

/** In place of an offering: instances of all of them, because several may share a cluster. */
export const allOfferings = "*";

/** Instances of an offering in a region, of one type; bounded by a RegionCapacity. */
export function regionCounter({ offering, provider, region, type }: RegionOfType): string {
  return `fleet/region/${offering}/${provider}/${region}/${type}`;
}

/** What an instance counts against in its region. */
export function regionCounters({ offering, type, ...place }: RegionOfType): readonly string[] {
  return [offering, allOfferings].flatMap((each) =>
    [type, allTypes].map((one) => regionCounter({ ...place, offering: each, type: one })),
  );
}

export interface RegionOfType {
  readonly offering: string;
  readonly provider: string;
  readonly region: string;
  readonly type: string;
}

/** All instances on a cluster; bounded by the DataPlaneCluster. */
export function clusterCounter(cluster: string): string {
  return `fleet/cluster/${cluster}`;
}

/** Instances of one type on a cluster; bounded by the DataPlaneCluster. */
export function clusterTypeCounter(cluster: string, type: string): string {
  return `${clusterCounter(cluster)}/${type}`;
}
