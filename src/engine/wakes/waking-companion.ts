// Runs beside the workers of a process: wakes by the log, and adopts what was there before its
// reconciler. It is harmless in any number of processes: one follows the log, and who adopts what
// was adopted has nothing to do.

import { adopt } from "./adoption.ts";
import type { Resource } from "../../kernel/resource.ts";
import { isNewTo } from "../run/plan.ts";
import type { Companion } from "../run/parts.ts";
import type { EnginePorts } from "../ports.ts";
import type { Reconciler } from "../reconciler.ts";
import { LeaderTasks } from "./leader-tasks.ts";
import { startWakeUps } from "./wake-ups.ts";

export function wakingCompanion(ports: EnginePorts, owner: string): Companion {
  const leaderTasks = new LeaderTasks(ports);
  const wakeUps = startWakeUps(ports, owner, leaderTasks);
  const adoptions = new Map<Reconciler, AbortController>();
  const underWay = new Set<Promise<void>>();
  return {
    added: (reconciler) => {
      const { kind, version = 0, ownsStatus = false } = reconciler;
      const controller = new AbortController();
      adoptions.set(reconciler, controller);
      const isUnseen = (resource: Resource): boolean => isNewTo(reconciler, resource);
      // The first version has no predecessor. Without a status of the engine, none can be detected.
      const input = version === 0 || ownsStatus ? { kind, version } : { kind, version, isUnseen };
      const adopting = adopt(ports, input, controller.signal)
        // It rejects only when aborted.
        .catch(() => undefined)
        .finally(() => underWay.delete(adopting));
      underWay.add(adopting);
    },
    removed: (reconciler) => {
      adoptions.get(reconciler)?.abort();
      adoptions.delete(reconciler);
    },
    lead: (task) => leaderTasks.add(task),
    stop: async () => {
      for (const controller of adoptions.values()) controller.abort();
      await Promise.all([wakeUps[Symbol.asyncDispose](), ...underWay]);
    },
  };
}
