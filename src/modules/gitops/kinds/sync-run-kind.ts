// The kind GitOpsDeploymentSyncRun: one sync of a manual GitOpsDeployment. It runs once. An edit of
// its fields is accepted, reported by the condition ErrorOccurred, and has no effect.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, described, object } from "../../../kernel/schema-parts.ts";
import { anyName, anyText, commitId, conditionColumn, conditions, count } from "./kind-parts.ts";
import { flag, gitopsKind, longText, refName, textColumn, time } from "./kind-parts.ts";

export const syncRunPhases = ["Waiting", "Running", "Succeeded", "Failed", "Terminated"] as const;

const spec: JsonObject = object(
  {
    gitopsDeploymentName: described(
      anyName,
      "A GitOpsDeployment of the namespace, which may be created later.",
    ),
    revisionID: described(
      refName,
      "A commit, branch or tag. Default: the targetRevision of the deployment.",
    ),
    prune: described(flag, "Whether objects that are not in git are deleted. Default: false."),
  },
  ["gitopsDeploymentName"],
);

const status: JsonObject = object({
  observedGeneration: count,
  conditions,
  phase: choice(...syncRunPhases),
  message: longText,
  revision: described(commitId, "The commit that was applied."),
  operation: described(anyName, "The Operation."),
  accepted: described(
    object({ gitopsDeploymentName: anyName, revisionID: refName, deploymentUID: anyText }),
    "What runs, or ran. Later edits of the spec do not change it.",
  ),
  position: described(count, "SyncRuns that run before this one."),
  startedAt: time,
  finishedAt: time,
});

export const syncRunKind = gitopsKind({
  names: {
    plural: "gitopsdeploymentsyncruns",
    kind: "GitOpsDeploymentSyncRun",
    shortNames: ["gitopssyncrun"],
  },
  spec,
  status,
  columns: [
    textColumn("Deployment", ".spec.gitopsDeploymentName"),
    textColumn("Phase", ".status.phase"),
    textColumn("Revision", ".status.revision"),
    conditionColumn("Error", "ErrorOccurred", "message"),
  ],
  selectableFields: [".spec.gitopsDeploymentName", ".status.accepted.deploymentUID"],
});
