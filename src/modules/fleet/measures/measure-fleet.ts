/**
 * The metrics of the fleet in a running process. Counters exist in every process, at 0 from the
 * start. What is counted for the whole fleet is counted by the leader alone, from the log, so that
 * sums over processes are right. A process that does not lead any more shows no gauges.
 */
import type { EnginePort, GaugeSample, ModuleLog, ModuleMeter } from "../../../contract/ports.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { FleetState } from "../fleet-state.ts";
import { followKind } from "../../../intents/watch/follow-kind.ts";
import type { FollowPorts, FollowedKind } from "../../../intents/watch/follow-kind.ts";
import { fleetLimits } from "../limits.ts";
import { fleetMetric } from "../metrics.ts";
import type { Offering } from "../offering.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import type { ClusterFacts } from "../placement/cluster-facts.ts";
import { capacityMax, capacityUsed, followClusterMeasures } from "./cluster-measures.ts";
import { InstanceMeasures } from "./instance-measures.ts";
import { measuredInstance } from "./measured.ts";
import type { Counted, Operation } from "./measured.ts";
import { bounded } from "./tally.ts";

type Labels = GaugeSample["labels"];

export interface MeasurePorts extends FollowPorts {
  readonly meter: ModuleMeter;
  readonly log: Pick<ModuleLog, "warn">;
  readonly live: Pick<LiveView, "follow">;
  readonly clock: Clock;
  readonly state: Pick<FleetState, "offerings" | "clusters">;
  readonly engine: Pick<EnginePort, "lead">;
}

/** Returns a function that ends it. */
export function measureFleet(ports: MeasurePorts): () => void {
  const { meter, engine, state } = ports;
  let isLeading = false;
  const task = leaderTask(ports, (leads) => {
    isLeading = leads;
  });
  const ends = [
    state.offerings.follow((name) => {
      declareCounters(meter, instanceCounters, { offering: name });
      meter.count(fleetMetric.removalsHeld, { offering: name }, 0);
    }),
    meter.collect(fleetMetric.leader, () => [
      { labels: { worker_type: task.name }, value: isLeading ? 1 : 0 },
    ]),
    engine.lead(task),
  ];
  declareCounters(meter, clusterCounters, {});
  return () => {
    for (const end of ends.toReversed()) end();
  };
}

function leaderTask(ports: MeasurePorts, setLeading: (leads: boolean) => void): LeaderTask {
  return {
    name: "fleet-metrics",
    lead: async (_claim, signal) => {
      await using undo = new AsyncDisposableStack();
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve(), { once: true });
      if (signal.aborted) return;
      setLeading(true);
      undo.defer(() => setLeading(false));
      followFleet(ports, undo);
      await aborted.promise;
    },
  };
}

function followFleet(ports: MeasurePorts, undo: AsyncDisposableStack): void {
  const { meter, state } = ports;
  const clusters = followClusterMeasures(ports, counting(meter, clusterCounters, {}));
  undo.defer(clusters.stop);
  const instances = undo.use(followInstances(ports));
  const all = (of: (one: InstanceMeasures) => Iterable<GaugeSample>): Iterable<GaugeSample> =>
    joined(instances.all(), of);
  const offered = (): readonly Offering[] => state.offerings.all();
  const known = (): Iterable<ClusterFacts> => state.clusters()?.all() ?? [];
  const gauges: Readonly<Record<string, () => Iterable<GaugeSample>>> = {
    [fleetMetric.statusCount]: () => all((one) => one.byStatus()),
    [fleetMetric.perCluster]: () => all((one) => one.byCluster()),
    [fleetMetric.versions]: () => {
      const samples = all((one) => one.byVersion());
      return bounded(samples, "version", fleetLimits.maxMeasuredVersions);
    },
    [fleetMetric.clusterStatusCount]: () => clusters.byStatus(),
    [fleetMetric.capacityMax]: () => capacityMax(known(), offered()),
    [fleetMetric.capacityUsed]: () => capacityUsed(known(), offered()),
  };
  for (const [name, read] of Object.entries(gauges)) undo.defer(meter.collect(name, read));
}

function* joined<T, S>(all: Iterable<T>, of: (one: T) => Iterable<S>): Iterable<S> {
  for (const one of all) yield* of(one);
}

interface FollowedInstances extends AsyncDisposable {
  /** Of the Offerings whose instances are all known. */
  all(): readonly InstanceMeasures[];
}

interface FollowedOffering {
  readonly measures: InstanceMeasures;
  readonly followed: FollowedKind;
}

/** The instances of every Offering, from when it exists until it is deleted. */
function followInstances(ports: MeasurePorts): FollowedInstances {
  const { state } = ports;
  const offerings = new Map<string, FollowedOffering>();
  const ending = new Set<Promise<void>>();
  const end = (name: string): void => {
    const ended = offerings.get(name)?.followed[Symbol.asyncDispose]();
    offerings.delete(name);
    if (ended !== undefined) ending.add(Promise.resolve(ended));
  };
  const unfollow = state.offerings.follow((name, offering) => {
    if (offering === undefined) end(name);
    else if (!offerings.has(name)) offerings.set(name, followOffering(ports, offering));
  });
  return {
    all: () =>
      [...offerings.values()].flatMap(({ followed, measures }) =>
        followed.isLoaded ? measures : [],
      ),
    [Symbol.asyncDispose]: async () => {
      unfollow();
      for (const name of offerings.keys()) end(name);
      await Promise.all(ending);
    },
  };
}

function followOffering(ports: MeasurePorts, offering: Offering): FollowedOffering {
  const { name } = offering;
  const { meter, log } = ports;
  const measures = new InstanceMeasures(
    name,
    counting(meter, instanceCounters, { offering: name }),
  );
  const followed = followKind({
    ...ports,
    kind: instanceKindId(offering),
    read: measuredInstance,
    onChange: (_key, after, before, atMs) => {
      if ((after ?? before)?.isInternal === false) measures.change(after, before, atMs);
    },
    onError: (error) => log.warn({ error, offering: name }, "instances not measured"),
  });
  return { measures, followed };
}

interface CounterNames {
  readonly total: string;
  readonly success: string;
  readonly seconds: string;
  readonly since: string;
}

const instanceCounters: CounterNames = {
  total: fleetMetric.operations,
  success: fleetMetric.operationSuccesses,
  seconds: fleetMetric.operationSeconds,
  since: fleetMetric.statusSinceCreated,
};

const clusterCounters: CounterNames = {
  total: fleetMetric.clusterOperations,
  success: fleetMetric.clusterOperationSuccesses,
  seconds: fleetMetric.clusterOperationSeconds,
  since: fleetMetric.clusterStatusSinceCreated,
};

const operations: readonly Operation[] = ["create", "deprovision", "delete"];

/** A counter without a series would hide the first failure from a rate. */
function declareCounters(meter: ModuleMeter, names: CounterNames, labels: Labels): void {
  for (const operation of operations) {
    meter.count(names.total, { ...labels, operation }, 0);
    meter.count(names.success, { ...labels, operation }, 0);
  }
}

function counting(
  meter: ModuleMeter,
  names: CounterNames,
  labels: Labels,
): (counted: Counted) => void {
  return ({ operations: ended, reached }) => {
    for (const { operation, isSuccess, isNew, seconds } of ended) {
      meter.count(names.total, { ...labels, operation }, isNew ? 1 : 0);
      if (isSuccess) meter.count(names.success, { ...labels, operation });
      if (seconds === undefined) continue;
      meter.observe(names.seconds, seconds, { ...labels, jobType: operation });
    }
    if (reached === undefined) return;
    meter.observe(names.since, reached.ageSeconds, { ...labels, status: reached.status });
  };
}
