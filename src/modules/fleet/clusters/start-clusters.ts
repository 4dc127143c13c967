/** Clusters in a running process: their reconcilers, and the wakes that keep their counts fresh. */
import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import { clusterKey, clusterOf, clustersKind, managedInstancesKind } from "../names.ts";
import { agentTokens } from "./agent-token.ts";
import { clusterReconciler } from "./cluster-reconciler.ts";
import type { ClusterPorts } from "./cluster-reconciler.ts";
import { kubernetesExecutor } from "./kubernetes-executor.ts";
import { managedInstanceReconciler } from "./managed-instance-reconciler.ts";
import { registerExecutor } from "./register-executor.ts";
import { simulatorExecutor } from "./simulator-executor.ts";

/** Returns a function that ends it. */
export function startClusters(ports: OpenPorts, more: StartPorts): () => void {
  const { store, live, openKube } = ports;
  const { engine, ownIntents } = more;
  const executors = {
    register: registerExecutor,
    kubernetes: kubernetesExecutor(openKube),
    simulator: simulatorExecutor,
  };
  const clusters: ClusterPorts = {
    store,
    live,
    executorOf: (kind) => executors[kind],
    issueToken: agentTokens(ownIntents),
  };
  const ends = [
    engine.add(clusterReconciler(clusters)),
    engine.add(managedInstanceReconciler({ ownIntents, live })),
    engine.lead(wakeUsedClusters(ports, more)),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** A cluster is reconciled when a ManagedInstance appears on it or is removed from it. */
function wakeUsedClusters(
  { live, timers }: Pick<OpenPorts, "live" | "timers">,
  { feed, ownIntents }: Pick<StartPorts, "feed" | "ownIntents">,
): ReturnType<typeof wakeTask> {
  return wakeTask({
    name: "fleet-cluster-counts",
    store: ownIntents.store,
    timers,
    follow: (wakeLater) => {
      const unsubscribe = feed.subscribe((changes) => {
        wakeLater(
          changes.flatMap(({ key, type }) => {
            if (key.kind !== managedInstancesKind || type === "updated") return [];
            const cluster = clusterOf(key.namespace);
            return cluster === undefined ? [] : [clusterKey(cluster)];
          }),
        );
      });
      wakeLater([...live.all(clustersKind)].map(({ key }) => key));
      return unsubscribe;
    },
  });
}
