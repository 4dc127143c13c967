/** GitOpsDeploymentSets in a process. */
import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import { valueAt } from "../../../kernel/json-read.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { deploymentSetsKind, managedEnvironmentsKind } from "../names.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import type { SourceTrees } from "../source/source-trees.ts";
import { GeneratorMemory } from "./read-generators.ts";
import { setGuard } from "./set-guard.ts";
import { setReconciler } from "./set-reconciler.ts";

export interface SetsInput extends PartInput {
  readonly trees: SourceTrees;
}

export function openSets({ ports, configuration, trees }: SetsInput): GitOpsPart {
  const { authorizer, rights, store } = ports;
  const { pollSeconds } = configuration;
  return {
    admission: [setGuard({ authorizer, rights })],
    start: (more, stops) => {
      const memory = new GeneratorMemory();
      stops.defer(more.engine.add(setReconciler({ trees, store, pollSeconds, memory })));
      stops.defer(more.engine.lead(wakeSets(ports, more)));
    },
  };
}

/** A set does not refer to an environment that does not exist yet. */
function wakeSets(
  { live, timers }: Pick<OpenPorts, "live" | "timers">,
  { feed, ownIntents }: Pick<StartPorts, "feed" | "ownIntents">,
): ReturnType<typeof wakeTask> {
  const setsIn = (namespaces: ReadonlySet<string> | undefined): readonly ResourceKey[] =>
    Array.from(live.all(deploymentSetsKind))
      .filter(({ key }) => namespaces?.has(key.namespace) ?? true)
      .filter(({ resource }) => valueAt(resource.spec, "generate", "environments") !== undefined)
      .map(({ key }) => key);
  return wakeTask({
    name: "gitops-sets",
    store: ownIntents.store,
    timers,
    follow: (wakeLater) => {
      const unsubscribe = feed.subscribe((changes) => {
        const changed = changes.filter(({ key }) => key.kind === managedEnvironmentsKind);
        if (changed.length === 0) return;
        wakeLater(setsIn(new Set(changed.map(({ key }) => key.namespace))));
      });
      wakeLater(setsIn(undefined));
      return unsubscribe;
    },
  });
}
