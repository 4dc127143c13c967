// The status of a GitOpsDeployment. It stays below 100 kB with any number of objects: the Inventory
// has all of them, and the status lists those that need attention first.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, described, list, object } from "../../../kernel/schema-parts.ts";
import { gitopsLimits } from "../limits.ts";
import { anyName, anyText, commitId, conditions, count, health } from "./kind-parts.ts";
import { longText, reference, refName, repoUrl, syncStatuses, time } from "./kind-parts.ts";

const syncPhases = ["PreSync", "Sync", "PostSync", "SyncFail"] as const;

const syncResult = object({
  revision: commitId,
  resources: list(
    object({
      ...reference,
      status: choice("Synced", "SyncFailed", "Pruned", "PruneSkipped"),
      message: longText,
      hookType: choice(...syncPhases, "PreDelete", "PostDelete"),
      hookPhase: choice("Running", "Terminating", "Failed", "Error", "Succeeded"),
      syncPhase: choice(...syncPhases),
    }),
    gitopsLimits.maxStatusResults,
  ),
  omitted: described(count, "Results that are not listed."),
});

const operationState: JsonObject = object({
  operation: object({
    id: described(anyText, "The name of the Operation."),
    trigger: choice("Automated", "SelfHeal", "SyncRun", "Rollback", "Deletion"),
    syncRun: described(anyName, "The SyncRun that requested it."),
    revision: commitId,
    digest: described(anyText, "Of the objects of the revision."),
    prune: { type: "boolean" },
    retryLimit: { type: "integer" },
  }),
  phase: choice("Running", "Terminating", "Failed", "Error", "Succeeded"),
  message: longText,
  syncResult,
  step: described(
    object({
      phase: choice(...syncPhases, "PreDelete", "Prune", "PostDelete"),
      wave: { type: "integer" },
      since: time,
      done: count,
      of: count,
    }),
    "Where a running sync is.",
  ),
  startedAt: time,
  finishedAt: time,
  retryCount: count,
  nextRetryAt: time,
});

const prune: JsonObject = described(
  object({
    hash: { type: "string", maxLength: 128 },
    reason: choice("All", "Many", "Protected"),
    objects: count,
    named: list(object(reference), gitopsLimits.maxNamed),
    since: time,
  }),
  "Deletions that wait for spec.syncPolicy.confirmPrune.",
);

const reconciledState: JsonObject = object({
  source: object({ repoURL: repoUrl, path: longText, branch: refName }),
  destination: object({ name: anyName, namespace: anyName }),
});

const history: JsonObject = list(
  object({
    id: count,
    revision: commitId,
    path: longText,
    repoURL: repoUrl,
    startedAt: time,
    deployedAt: time,
    trigger: anyText,
  }),
  gitopsLimits.maxHistory,
);

export const deploymentStatus: JsonObject = object({
  observedGeneration: count,
  conditions,
  workspaceID: described(anyText, "The uid of the namespace."),
  gitopsDeplID: described(anyText, "The uid of the deployment."),
  sync: object({
    status: choice(...syncStatuses),
    revision: described(commitId, "The commit that the objects were compared with."),
    comparedDigest: described(anyText, "Digest of the objects at this commit."),
  }),
  health,
  resources: list(
    object({
      ...reference,
      status: choice(...syncStatuses),
      health,
      message: longText,
      hook: { type: "boolean" },
      prune: described({ type: "boolean" }, "It is not in git and would be deleted."),
    }),
    gitopsLimits.maxStatusResources,
  ),
  summary: object({
    objects: count,
    synced: count,
    outOfSync: count,
    healthy: count,
    omitted: described(count, "Objects that `resources` does not list."),
  }),
  reconciledState,
  operationState,
  source: object({
    name: described(anyName, "The GitSource."),
    revision: commitId,
    tool: choice("Directory", "Kustomize", "Helm"),
  }),
  inventory: object({
    shards: count,
    objects: count,
    target: described(anyText, "Digest of the target that has the objects."),
  }),
  webhook: object({ url: longText }),
  prune,
  pin: object({ revision: commitId, endedAt: time }),
  waitingFor: list(
    object({ name: anyName, reason: anyText, message: longText }),
    gitopsLimits.maxDependencies,
  ),
  window: described(longText, "Why no sync may run now, and when the next one may."),
  selfHeal: object({ attempts: count, nextAt: time }),
  history,
});
