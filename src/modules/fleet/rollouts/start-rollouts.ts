/** Rollouts in a running process: their reconciler, the instances they follow, and their wakes. */
import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import { clustersKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { openMemberIndexes } from "./member-indexes.ts";
import { rolloutReconciler } from "./rollout-reconciler.ts";
import type { RolloutPorts } from "./rollout-reconciler.ts";
import { runningRollouts } from "./running.ts";

export interface RolloutsInput extends Pick<RolloutPorts, "operatorsOf"> {
  readonly ports: Pick<OpenPorts, "live" | "store" | "timers" | "log">;
  readonly more: StartPorts;
  readonly offerings: Pick<OfferingIndex, "byName" | "byKind">;
}

export function startRollouts(input: RolloutsInput): AsyncDisposable {
  const { ports, more, offerings, operatorsOf } = input;
  const { engine, intents, feed } = more;
  const started = new AsyncDisposableStack();
  const indexes = started.use(
    openMemberIndexes({
      ...ports,
      feed,
      offerings,
      onError: (error) => ports.log.warn({ error }, "instances of a Rollout not read"),
    }),
  );
  const membersOf: RolloutPorts["membersOf"] = (offering) => indexes.membersOf(offering);
  started.defer(engine.add(rolloutReconciler({ intents, membersOf, operatorsOf })));
  started.defer(engine.lead(wakeRollouts(input)));
  return started;
}

/** A running Rollout is reconciled when an instance of its Offering or a cluster changes. */
function wakeRollouts({ ports, more, offerings }: RolloutsInput): LeaderTask {
  const { live, timers } = ports;
  return wakeTask({
    name: "fleet-rollouts",
    store: more.ownIntents.store,
    timers,
    follow: (wakeLater) => {
      const unsubscribe = more.feed.subscribe((changes) => {
        const kinds = [...new Set(changes.map(({ key }) => key.kind))];
        const changed = new Set(kinds.flatMap((kind) => offerings.byKind(kind)?.name ?? []));
        const hasClusters = kinds.includes(clustersKind);
        if (changed.size === 0 && !hasClusters) return;
        const woken = [...runningRollouts(live)].filter(
          ({ rollout }) => hasClusters || changed.has(rollout.offering),
        );
        wakeLater(woken.map(({ key }) => key));
      });
      wakeLater([...runningRollouts(live)].map(({ key }) => key));
      return unsubscribe;
    },
  });
}
