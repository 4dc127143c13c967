// How many units the regions of an Offering take: the sum of their clusters, and the limits that
// the Offering sets. A region without clusters is not bounded by clusters, because an instance can
// wait for one. A cluster counts for the Offerings that its spec names, whatever its agent reports
// at present: an interruption neither removes a bound nor refuses instances. Offerings that share a
// region may share its clusters, so their instances together are bounded by all clusters of the
// region. Pure.

import { hash } from "node:crypto";
import { isLeaving } from "../clusters/phases.ts";
import { allOfferings, allTypes } from "../names.ts";
import type { RegionOfType } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { ClusterFacts } from "../placement/cluster-facts.ts";

export interface RegionMax extends RegionOfType {
  /** In units; undefined: no bound. */
  readonly max: number | undefined;
}

/** For each region: every type that it offers, and all types together. */
export function regionMaxima(
  offering: Offering,
  clustersIn: (provider: string, region: string) => readonly ClusterFacts[],
): readonly RegionMax[] {
  return offering.providers.flatMap(({ id: provider, regions }) =>
    regions.flatMap(({ id: region, types }) => {
      const clusters = clustersIn(provider, region).filter((each) => hosts(each, offering));
      const place = { offering: offering.name, provider, region };
      const ofTypes = types.map(({ name: type, limit }) => ({
        ...place,
        type,
        max: smaller(limit, sumOf(clusters.filter((each) => takes(each, type)).map(roomFor(type)))),
      }));
      return [...ofTypes, { ...place, type: allTypes, max: sumOf(totalsOf(clusters)) }];
    }),
  );
}

/** For each region that several Offerings have: every type, and all types together. */
export function sharedMaxima(
  offerings: readonly Offering[],
  clustersIn: (provider: string, region: string) => readonly ClusterFacts[],
): readonly SharedMax[] {
  const regions = new Map<string, SharedRegion>();
  for (const offering of offerings) {
    for (const { id: provider, regions: own } of offering.providers) {
      for (const { id: region, types } of own) {
        const key = JSON.stringify([provider, region]);
        const shared = regions.get(key) ?? { provider, region, offerings: [], types: new Set() };
        regions.set(key, shared);
        shared.offerings.push(offering);
        for (const { name } of types) shared.types.add(name);
      }
    }
  }
  return [...regions.values()].flatMap((shared) => {
    const { provider, region } = shared;
    if (shared.offerings.length < 2) return [];
    const clusters = clustersIn(provider, region).filter((each) =>
      shared.offerings.some((offering) => hosts(each, offering)),
    );
    const place = { offering: allOfferings, provider, region };
    const bound = (type: string, max: number | undefined): readonly SharedMax[] =>
      max === undefined ? [] : [{ ...place, type, max }];
    const ofTypes = [...shared.types].flatMap((type) =>
      bound(type, sumOf(clusters.filter((each) => takes(each, type)).map(roomFor(type)))),
    );
    return ofTypes.concat(bound(allTypes, sumOf(totalsOf(clusters))));
  });
}

export interface SharedMax extends RegionOfType {
  readonly max: number;
}

interface SharedRegion {
  readonly provider: string;
  readonly region: string;
  readonly offerings: Offering[];
  readonly types: Set<string>;
}

function totalsOf(clusters: readonly ClusterFacts[]): readonly (number | undefined)[] {
  return clusters.map(({ capacity }) => capacity.total);
}

/** Ids of providers and regions are texts of any form, so the name contains their digest. */
export function regionCapacityName({ offering, provider, region, type }: RegionOfType): string {
  const isShared = offering === allOfferings;
  const parts = [...(isShared ? [allOfferings] : []), provider, region, type];
  const digest = hash("sha256", JSON.stringify(parts), "hex");
  return `${isShared ? "all" : offering}.${digest.slice(0, 20)}`;
}

function hosts(cluster: ClusterFacts, { name, requiresMultiAz }: Offering): boolean {
  if (cluster.isDeleting || isLeaving(cluster.phase) || cluster.phase === "failed") return false;
  if (requiresMultiAz && !cluster.isMultiAz) return false;
  return cluster.offerings?.has(name) !== false;
}

function takes({ types }: ClusterFacts, type: string): boolean {
  return types?.has(type) !== false;
}

function roomFor(type: string): (cluster: ClusterFacts) => number | undefined {
  return ({ capacity: { byType, total } }) => smaller(byType.get(type), total);
}

/** Undefined when there are none, and when one of them is unbounded. */
function sumOf(amounts: readonly (number | undefined)[]): number | undefined {
  if (amounts.length === 0) return undefined;
  let sum = 0;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
