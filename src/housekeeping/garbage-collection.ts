// Deletes what has lost its owners, and carries out deletions that wait for dependents or that
// leave orphans. A task of the leader: the keys to look at come from the log (follow-owners.ts),
// which every process follows, and the decision from the store (garbage-work.ts). A new leader
// looks at everything once, so what its predecessor left undone is found.

import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import type { Duty, OwnerFollower } from "../intents/housekeeping/follow-owners.ts";
import { keyedWorker } from "../intents/housekeeping/keyed-worker.ts";
import type { Intents } from "../intents/request.ts";
import { parseExact } from "../kernel/int64.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import type { Timers } from "../kernel/timers.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import { collectItem, finishOrphan, finishWaiting } from "./garbage-work.ts";

export interface GarbageInput {
  readonly intents: Intents;
  readonly owners: OwnerFollower;
  readonly timers: Timers;
  readonly onError: (error: unknown, task: string) => void;
}

const duties = { item: collectItem, waiting: finishWaiting, orphan: finishOrphan } as const;

export function garbageCollection({ intents, owners, timers, onError }: GarbageInput): LeaderTask {
  return {
    name: "garbage collection",
    lead: async (claim, signal) => {
      await using worker = keyedWorker({
        timers,
        onError,
        work: async (text) => {
          const [duty, kind, namespace, name] = parseExact(text) as [Duty, string, string, string];
          return await duties[duty]({ intents, owners, claim }, { kind, namespace, name });
        },
      });
      const add = (duty: Duty, { kind, namespace, name }: ResourceKey): void =>
        worker.add(JSON.stringify([duty, kind, namespace, name]));
      const unfollow = owners.follow(add);
      try {
        await owners.lookAtAll(add, signal);
        await untilAborted(signal);
      } finally {
        unfollow();
      }
    },
  };
}
