// The work that a server does for its own kinds, so that they keep the promises of Kubernetes.
// Every process runs it, whatever its roles and modules, so that a server with `--roles api` alone
// still completes deletions. See docs/decisions/0013-what-the-engine-reconciles.md.

import type { Reconciler } from "../engine/reconciler.ts";
import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import type { QuotaIndex } from "../intents/admission/quota/quota-index.ts";
import type { Rbac } from "../intents/auth/rbac.ts";
import type { OwnerFollower } from "../intents/housekeeping/follow-owners.ts";
import type { Intents } from "../intents/request.ts";
import type { ChangeFeed } from "../intents/watch/change-feed.ts";
import type { Timers } from "../kernel/timers.ts";
import { clusterRoleRules } from "./cluster-roles.ts";
import { definitionReconciler } from "./definition-deletion.ts";
import { definitionNames } from "./definition-names.ts";
import { eventExpiry } from "./event-expiry.ts";
import { garbageCollection } from "./garbage-collection.ts";
import { namespaceReconciler } from "./namespaces.ts";
import { outcomeExpiry } from "./outcome-expiry.ts";
import { policyReconciler } from "./policy-types.ts";
import { quotaUsage } from "./quota-usage.ts";
import { unfinishedWork } from "./unfinished-work.ts";

export interface HousekeepingInput {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly rbac: Pick<Rbac, "rulesOfRole">;
  readonly quotas: QuotaIndex;
  readonly owners: OwnerFollower;
  readonly timers: Timers;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
}

export interface Housekeeping {
  /** Work about one resource: leased one by one. */
  readonly reconcilers: readonly Reconciler[];
  /** Work that follows many resources: done by one process at a time. */
  readonly leaderTasks: readonly LeaderTask[];
}

export function housekeeping(input: HousekeepingInput): Housekeeping {
  const { intents, feed, rbac, quotas, owners, timers, log } = input;
  return {
    reconcilers: [
      namespaceReconciler(intents),
      definitionReconciler(intents),
      policyReconciler(intents),
    ],
    leaderTasks: [
      garbageCollection({
        intents,
        owners,
        timers,
        onError: (error, task) => log.warn({ error, task }, "garbage collection failed"),
      }),
      quotaUsage({
        intents,
        feed,
        index: quotas,
        timers,
        onError: (error, quota) => log.warn({ error, quota }, "quota not counted"),
      }),
      clusterRoleRules({
        intents,
        rbac,
        timers,
        onError: (error, role) =>
          log.warn({ error, role }, "rules of an aggregated role not collected"),
      }),
      definitionNames({
        intents,
        timers,
        onError: (error, definition) =>
          log.warn({ error, definition }, "names of a definition not decided"),
      }),
      eventExpiry({ intents, timers }),
      outcomeExpiry({ intents, timers }),
      unfinishedWork({ intents, timers, log }),
    ],
  };
}
