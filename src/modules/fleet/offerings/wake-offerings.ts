// Wakes Offerings when the capacity of clusters changes, because it bounds their regions, and wakes
// Offerings and Organisations some time after a change of their instances, because their status
// counts them.

import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import type { ProcessWakesInput } from "../../../engine/wakes/wake-task.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { ChangeFeed } from "../../../intents/watch/change-feed.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { Store } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import { clustersKind, offeringKey, organisationKey, organisationOf } from "../names.ts";
import type { OfferingIndex } from "./offering-index.ts";

export interface WakeOfferingsInput {
  readonly store: Pick<Store, "commit">;
  readonly timers: Timers;
  readonly feed: Pick<ChangeFeed, "subscribe">;
  readonly offerings: OfferingIndex;
}

export function wakeOfferings(input: WakeOfferingsInput): LeaderTask {
  const { store, timers, feed, offerings } = input;
  return wakeTask({
    name: "fleet-offerings",
    store,
    timers,
    follow: (wakeLater) => {
      const waiting = new Map<string, () => void>();
      const wakeSoon = (key: ResourceKey): void => {
        const text = keyText(key);
        if (waiting.has(text)) return;
        const cancel = timers.after(fleetLimits.countsDelayMs, () => {
          waiting.delete(text);
          wakeLater([key]);
        });
        waiting.set(text, cancel);
      };
      const unsubscribe = feed.subscribe((changes) => {
        for (const { key, type } of changes) {
          const offering = offerings.byKind(key.kind);
          if (offering === undefined) continue;
          wakeSoon(offeringKey(offering.name));
          const organisation = organisationOf(key.namespace);
          // Quotas are used by creations and freed by deletions.
          if (organisation === undefined || type === "updated") continue;
          wakeSoon(organisationKey(organisation));
        }
      });
      wakeLater(offerings.all().map(({ name }) => offeringKey(name)));
      return () => {
        unsubscribe();
        for (const cancel of waiting.values()) cancel();
      };
    },
  });
}

export interface CapacityChangesInput
  extends Omit<WakeOfferingsInput, "feed">, Pick<ProcessWakesInput, "log"> {
  readonly live: Pick<LiveView, "follow">;
}

/** In every process: a run reads the clusters from the memory of its process. */
export function capacityChanges(input: CapacityChangesInput): ProcessWakesInput {
  const { store, timers, live, offerings, log } = input;
  return {
    name: "fleet-capacity",
    store,
    timers,
    log,
    follow: (wakeLater) => {
      let isStarting = true;
      const unfollow = live.follow(clustersKind, (after, before) => {
        const isSame = equalJson(capacityIn(after?.resource), capacityIn(before?.resource));
        if (isStarting || isSame) return;
        wakeLater(offerings.all().map(({ name }) => offeringKey(name)));
      });
      isStarting = false;
      return unfollow;
    },
  };
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
