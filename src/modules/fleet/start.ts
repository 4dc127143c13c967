/** The fleet of a running process: its followers and reconcilers. */
import type { OpenPorts, StartPorts } from "../../contract/ports.ts";
import { wakesOfProcess } from "../../engine/wakes/wake-task.ts";
import type { Operator } from "./clusters/cluster.ts";
import { startClusters } from "./clusters/start-clusters.ts";
import { missingOfferings } from "./hooks/missing-offerings.ts";
import type { FleetState } from "./fleet-state.ts";
import { startLifecycle } from "./lifecycle/start-lifecycle.ts";
import { workOnInstances } from "./lifecycle/work-on-instances.ts";
import type { InstanceWork } from "./lifecycle/work-on-instances.ts";
import { offeringReconciler } from "./offerings/offering-reconciler.ts";
import { capacityChanges, wakeOfferings } from "./offerings/wake-offerings.ts";
import { measureFleet } from "./measures/measure-fleet.ts";
import { organisationReconciler } from "./organisations/organisation-reconciler.ts";
import { openClusterIndex } from "./placement/cluster-index.ts";
import type { ClusterIndex } from "./placement/cluster-index.ts";
import { startProbes } from "./probe/start-probes.ts";
import { startScaling } from "./scaling/start-scaling.ts";
import { startRollouts } from "./rollouts/start-rollouts.ts";

export interface StartInput {
  readonly ports: OpenPorts;
  readonly more: StartPorts;
  readonly state: FleetState;
  readonly useClusters: (index: ClusterIndex | undefined) => void;
}

export async function startFleet(input: StartInput): Promise<AsyncDisposable> {
  const { ports, more, state, useClusters } = input;
  await using undo = new AsyncDisposableStack();
  reportMissing(input);
  const clusters = undo.use(await openClusterIndex({ ...ports, feed: more.feed }));
  useClusters(clusters);
  undo.defer(() => useClusters(undefined));
  undo.defer(startClusters(ports, more));
  const work = undo.use(workOnInstances(input));
  startOfferings(input, work, undo);
  undo.use(startLifecycle({ ...input, countsOf: work.countsOf }));
  undo.defer(measureFleet({ ...ports, ...more, state }));
  const operatorsOf = (id: string): readonly Operator[] | undefined => clusters.get(id)?.operators;
  undo.use(startRollouts({ ports, more, offerings: state.offerings, operatorsOf }));
  undo.defer(startScaling({ ports, more, clusters }));
  undo.defer(startProbes({ ports, more, offerings: state.offerings }));
  return undo.move();
}

function startOfferings(
  { ports, more, state }: StartInput,
  { countsOf }: InstanceWork,
  undo: AsyncDisposableStack,
): void {
  const { engine, intents, ownIntents, feed } = more;
  const { store } = ownIntents;
  undo.defer(engine.add(offeringReconciler({ store, intents, ownIntents, state, countsOf })));
  const { offerings } = state;
  undo.defer(engine.add(organisationReconciler({ store, ownIntents, offerings })));
  undo.defer(engine.lead(wakeOfferings({ ...ports, store, feed, offerings })));
  if (engine.isWorker) undo.defer(wakesOfProcess(capacityChanges({ ...ports, store, offerings })));
}

/** The Offering may follow later: the module is used when it exists. */
function reportMissing({ ports, state }: StartInput): void {
  const existing = state.offerings.all().map(({ name }) => name);
  for (const { module, offering, nearest } of missingOfferings(ports.extensions, existing)) {
    const meant = nearest === undefined ? {} : { did_you_mean: nearest };
    ports.log.warn({ module, offering, ...meant }, "offering of a module does not exist");
  }
}
