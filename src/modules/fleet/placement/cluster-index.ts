/**
 * The clusters of each region with their load, as this process knows them, for placement and for
 * the capacity of regions. The clusters come from the live view. The load is counted from the
 * ManagedInstances in the log. It lags behind the commits, so a decision is a proposal: the
 * counters of the cluster decide inside the commit.
 */
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { ModuleLog } from "../../../contract/ports.ts";
import { followKind } from "../../../intents/watch/follow-kind.ts";
import type { FollowPorts } from "../../../intents/watch/follow-kind.ts";
import { clusterOf, clustersKind, managedInstancesKind } from "../names.ts";
import { clusterFacts, noLoad } from "./cluster-facts.ts";
import type { ClusterFacts, ClusterLoad } from "./cluster-facts.ts";

export interface ClusterIndexPorts extends FollowPorts {
  readonly live: Pick<LiveView, "follow">;
  readonly log: Pick<ModuleLog, "warn">;
}

export interface ClusterIndex extends AsyncDisposable {
  inRegion(provider: string, region: string): readonly ClusterFacts[];
  get(id: string): ClusterFacts | undefined;
  all(): Iterable<ClusterFacts>;
}

export async function openClusterIndex(ports: ClusterIndexPorts): Promise<ClusterIndex> {
  const index = new FollowedClusters();
  const followed = followKind({
    ...ports,
    kind: managedInstancesKind,
    read: placedUnits,
    onChange: (_key, after, before) => index.move(after, before),
    onError: (error) => ports.log.warn({ error }, "load of clusters not counted"),
  });
  await followed.loaded;
  const unfollow = ports.live.follow(clustersKind, (after, before) => {
    if (after !== undefined) index.putCluster(after.resource);
    else if (before !== undefined) index.removeCluster(before.key.name);
  });
  return {
    inRegion: (provider, region) => index.inRegion(provider, region),
    get: (id) => index.get(id),
    all: () => index.all(),
    [Symbol.asyncDispose]: async () => {
      unfollow();
      await followed[Symbol.asyncDispose]();
    },
  };
}

interface PlacedUnits {
  readonly cluster: string;
  readonly offering: string;
  readonly type: string;
  readonly units: number;
}

/** What a ManagedInstance uses; undefined in a namespace of no cluster. */
function placedUnits({ spec }: Resource, { namespace }: ResourceKey): PlacedUnits | undefined {
  const cluster = clusterOf(namespace);
  if (cluster === undefined) return undefined;
  const [offering, type] = [textAt(spec, "offering"), textAt(spec, "type")];
  return { cluster, offering, type, units: numberAt(spec, "units") ?? 1 };
}

interface CountedLoad {
  used: number;
  readonly usedByType: Map<string, number>;
  readonly usedByOffering: Map<string, number>;
}

class FollowedClusters {
  readonly #loads = new Map<string, CountedLoad>();
  readonly #clusters = new Map<string, Resource>();
  /** Built again after a change of the cluster: with many clusters, one changes all the time. */
  readonly #facts = new Map<string, ClusterFacts>();
  /** Facts by region; a region is listed again after a change of one of its clusters. */
  readonly #regions = new Map<string, readonly ClusterFacts[]>();
  readonly #idsByRegion = new Map<string, Set<string>>();

  putCluster(cluster: Resource): void {
    this.removeCluster(cluster.metadata.name);
    const region = regionOf(cluster);
    this.#clusters.set(cluster.metadata.name, cluster);
    const ids = this.#idsByRegion.get(region) ?? new Set();
    this.#idsByRegion.set(region, ids.add(cluster.metadata.name));
    this.#regions.delete(region);
  }

  removeCluster(id: string): void {
    const before = this.#clusters.get(id);
    if (before === undefined) return;
    this.#clusters.delete(id);
    this.#facts.delete(id);
    this.#idsByRegion.get(regionOf(before))?.delete(id);
    this.#regions.delete(regionOf(before));
  }

  move(after: PlacedUnits | undefined, before: PlacedUnits | undefined): void {
    // A report changes the status alone, and reports are most of the changes.
    if (before?.units === after?.units && before?.type === after?.type) return;
    if (before !== undefined) this.#count(before, -before.units);
    if (after !== undefined) this.#count(after, after.units);
  }

  inRegion(provider: string, region: string): readonly ClusterFacts[] {
    const key = regionKey(provider, region);
    const known = this.#regions.get(key);
    if (known !== undefined) return known;
    const facts = [...(this.#idsByRegion.get(key) ?? [])].flatMap((id) => this.get(id) ?? []);
    this.#regions.set(key, facts);
    return facts;
  }

  get(id: string): ClusterFacts | undefined {
    const known = this.#facts.get(id);
    if (known !== undefined) return known;
    const cluster = this.#clusters.get(id);
    if (cluster === undefined) return undefined;
    const facts = clusterFacts(cluster, this.#loadOf(id));
    this.#facts.set(id, facts);
    return facts;
  }

  *all(): Iterable<ClusterFacts> {
    for (const id of this.#clusters.keys()) {
      const facts = this.get(id);
      if (facts !== undefined) yield facts;
    }
  }

  /** The object stays the same, so that facts which hold it show the newest load. */
  #loadOf(id: string): ClusterLoad {
    return this.#loads.get(id) ?? noLoad;
  }

  #count({ cluster, type, offering }: PlacedUnits, units: number): void {
    const load = this.#loads.get(cluster) ?? {
      used: 0,
      usedByType: new Map<string, number>(),
      usedByOffering: new Map<string, number>(),
    };
    if (!this.#loads.has(cluster)) {
      this.#loads.set(cluster, load);
      this.#facts.delete(cluster);
      const known = this.#clusters.get(cluster);
      if (known !== undefined) this.#regions.delete(regionOf(known));
    }
    load.used += units;
    load.usedByType.set(type, (load.usedByType.get(type) ?? 0) + units);
    load.usedByOffering.set(offering, (load.usedByOffering.get(offering) ?? 0) + units);
  }
}

function regionOf({ spec }: Resource): string {
  return regionKey(textAt(spec, "provider"), textAt(spec, "region"));
}

function regionKey(provider: string, region: string): string {
  return JSON.stringify([provider, region]);
}
