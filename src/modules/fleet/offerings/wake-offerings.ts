// Wakes Offerings when the capacity of clusters changes, because it bounds their regions, and some
// time after a change of their instances, because their status counts them.

import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { ChangeFeed } from "../../../intents/watch/change-feed.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Store } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import { clustersKind, offeringKey } from "../names.ts";
import type { OfferingIndex } from "./offering-index.ts";

export interface WakeOfferingsInput {
  readonly store: Pick<Store, "commit">;
  readonly timers: Timers;
  readonly live: Pick<LiveView, "follow">;
  readonly feed: Pick<ChangeFeed, "subscribe">;
  readonly offerings: OfferingIndex;
}

export function wakeOfferings(input: WakeOfferingsInput): LeaderTask {
  const { store, timers, live, feed, offerings } = input;
  return wakeTask({
    name: "fleet-offerings",
    store,
    timers,
    follow: (wakeLater) => {
      const waiting = new Map<string, () => void>();
      const wakeAll = (): void => wakeLater(offerings.all().map(({ name }) => offeringKey(name)));
      const unfollow = live.follow(clustersKind, (after, before) => {
        if (!equalJson(capacityIn(after?.resource), capacityIn(before?.resource))) wakeAll();
      });
      const unsubscribe = feed.subscribe((changes) => {
        for (const { key } of changes) {
          const name = offerings.byKind(key.kind)?.name;
          if (name === undefined || waiting.has(name)) continue;
          const cancel = timers.after(fleetLimits.countsDelayMs, () => {
            waiting.delete(name);
            wakeLater([offeringKey(name)]);
          });
          waiting.set(name, cancel);
        }
      });
      wakeAll();
      return () => {
        unfollow();
        unsubscribe();
        for (const cancel of waiting.values()) cancel();
      };
    },
  });
}

/** The parts of a cluster that the capacity of a region depends on. */
function capacityIn(cluster: Resource | undefined): Json {
  if (cluster === undefined) return null;
  const { metadata, spec, status } = cluster;
  return {
    isDeleting: metadata.deletionTimestamp !== undefined,
    spec: spec ?? null,
    phase: textAt(status, "phase"),
    reported: valueAt(status, "report", "capacity") ?? null,
  };
}
