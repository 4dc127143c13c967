// Which cluster an instance goes to. Pure: equal facts give equal answers. Each cluster of the
// region that is not a candidate has a reason, which `why` shows. The candidates are ranked,
// because the commit decides whether a cluster has room: a refused candidate means the next one.

import type { ClusterFacts } from "./cluster-facts.ts";
import type { DesiredVersions } from "./versions.ts";

export interface PlacementRequest {
  readonly offering: string;
  readonly organisation: string;
  readonly provider: string;
  readonly region: string;
  readonly isMultiAz: boolean;
  readonly type: string;
  readonly units: number;
  /** The cluster that an administrator assigned. */
  readonly cluster?: string | undefined;
  /** Clusters that rejected this instance because they are full. */
  readonly refusedBy: readonly string[];
  /** Clusters that still remove an earlier placement of the instance. */
  readonly leaving?: readonly string[];
}

export interface Placement {
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** Why each other cluster of the region is not a candidate, by the id of the cluster. */
  readonly excluded: readonly Exclusion[];
}

export interface Candidate {
  readonly cluster: string;
  /** What the instance runs there; undefined when the agent reports no versions. */
  readonly versions: DesiredVersions | undefined;
  readonly reason: string;
}

export interface Exclusion {
  readonly cluster: string;
  readonly reason: string;
  /** Only a usable version is missing, which agents report within minutes. */
  readonly lacksVersion: boolean;
}

/** One of many: its reason is worded when it is read. */
class Ranked implements Candidate {
  readonly cluster: string;
  readonly versions: DesiredVersions | undefined;
  /** The share of its capacity that is used; a cluster without a limit counts its instances. */
  readonly load: number;
  readonly used: number;
  readonly total: number | undefined;

  constructor({ type }: PlacementRequest, { id, capacity, load, versions }: ClusterFacts) {
    const { total, byType } = capacity;
    const { used, usedByType } = load;
    const limit = byType.get(type);
    const share = total === undefined ? 0 : used / Math.max(total, 1);
    const shareOfType = limit === undefined ? 0 : (usedByType.get(type) ?? 0) / Math.max(limit, 1);
    this.cluster = id;
    this.versions = versions;
    this.load = Math.max(share, shareOfType);
    this.used = used;
    this.total = total;
  }

  get reason(): string {
    const room = this.total === undefined ? "" : ` of ${this.total}`;
    return `least used: ${this.used}${room} units used`;
  }
}

/** `clusters` are those of the region of the request: see cluster-index.ts. */
export function place(request: PlacementRequest, clusters: readonly ClusterFacts[]): Placement {
  const ranked: Ranked[] = [];
  const excluded: Exclusion[] = [];
  for (const cluster of clusters) {
    const reason = exclusionOf(request, cluster);
    if (reason !== undefined) {
      excluded.push({ cluster: cluster.id, reason, lacksVersion: false });
      continue;
    }
    if (cluster.versions === undefined && cluster.operators.length > 0) {
      const why = "reports no operator version that is ready";
      excluded.push({ cluster: cluster.id, reason: why, lacksVersion: true });
      continue;
    }
    ranked.push(new Ranked(request, cluster));
  }
  return { candidates: ranked.sort(compareRanked), excluded };
}

/** The first reason why the cluster cannot host the instance. */
function exclusionOf(request: PlacementRequest, cluster: ClusterFacts): string | undefined {
  const { offerings, organisation, types, refusal } = cluster;
  if (request.cluster !== undefined && request.cluster !== cluster.id) {
    return `the instance is assigned to cluster ${request.cluster}`;
  }
  if (refusal !== undefined) return refusal;
  if (offerings?.has(request.offering) === false) return "does not host this offering";
  const missing = cluster.unavailable.get(request.offering);
  if (missing !== undefined) return `cannot host this offering at present: ${missing}`;
  if (organisation !== undefined && organisation !== request.organisation) {
    return "is reserved for another organisation";
  }
  if (types?.has(request.type) === false) return notHosted(request.type);
  if (request.isMultiAz && !cluster.isMultiAz) return "is in a single availability zone";
  if (request.refusedBy.includes(cluster.id)) return refusedAsFull;
  if (request.leaving?.includes(cluster.id) === true) return "still has an earlier placement";
  return fullReason(request, cluster);
}

function fullReason(request: PlacementRequest, cluster: ClusterFacts): string | undefined {
  const { total } = cluster.capacity;
  const { used } = cluster.load;
  const full = total !== undefined && used + request.units > total;
  return full ? `is full: ${used} of ${total} units` : fullTypeReason(request, cluster);
}

/**
 * Why a cluster cannot host an instance that is on it, now that it has another type. The units of
 * all types together stay the same.
 */
export function typeRefusal(
  request: Pick<PlacementRequest, "type" | "units" | "refusedBy">,
  cluster: ClusterFacts,
): string | undefined {
  if (cluster.types?.has(request.type) === false) return notHosted(request.type);
  if (request.refusedBy.includes(cluster.id)) return refusedAsFull;
  return fullTypeReason(request, cluster);
}

function notHosted(type: string): string {
  return `does not host instances of type ${type}`;
}

const refusedAsFull = "rejected the instance as full";

function fullTypeReason(
  { type, units }: Pick<PlacementRequest, "type" | "units">,
  { capacity: { byType, fullTypes }, load: { usedByType } }: ClusterFacts,
): string | undefined {
  if (fullTypes.includes(type)) return `its agent reports no room for type ${type}`;
  const limit = byType.get(type);
  const ofType = usedByType.get(type) ?? 0;
  if (limit !== undefined && ofType + units > limit) {
    return `is full for type ${type}: ${ofType} of ${limit} units`;
  }
  return undefined;
}

/** The least used first; the id decides between equals, so that the order is stable. */
function compareRanked(one: Ranked, other: Ranked): number {
  if (one.load !== other.load) return one.load - other.load;
  if (one.used !== other.used) return one.used - other.used;
  return one.cluster < other.cluster ? -1 : 1;
}
