// Kinds that only the module writes: GitSource, Inventory, SyncBundle and Operation.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, described, list, object } from "../../../kernel/schema-parts.ts";
import { gitopsLimits } from "../limits.ts";
import { anyName, anyText, commitId, conditionColumn, conditions, count } from "./kind-parts.ts";
import { gitopsKind, health, longText, reference, refName, repoUrl } from "./kind-parts.ts";
import { syncStatuses, textColumn, time } from "./kind-parts.ts";

const sourceSpec: JsonObject = object(
  {
    repoURL: repoUrl,
    targetRevision: described(refName, "Empty: HEAD."),
    credential: described(anyName, "Empty: no credential."),
  },
  ["repoURL"],
);

/**
 * Nothing here changes when a poll finds nothing: a change of the status wakes every deployment
 * that refers to the source.
 */
const sourceStatus: JsonObject = object({
  observedGeneration: count,
  conditions,
  revision: described(commitId, "The commit of targetRevision."),
  ref: described(refName, "The full name, such as refs/heads/main. Empty for a commit."),
  credentialDigest: described(anyText, "Of the credential that read the revision."),
  changedAt: time,
  problem: described(
    object({ reason: anyText, message: longText, since: time }),
    "Why the repository cannot be read. The revision stays as it was.",
  ),
});

export const sourceKind = gitopsKind({
  names: { plural: "gitsources", kind: "GitSource" },
  spec: sourceSpec,
  status: sourceStatus,
  columns: [
    textColumn("URL", ".spec.repoURL"),
    textColumn("Target", ".spec.targetRevision"),
    textColumn("Revision", ".status.revision"),
    conditionColumn("Reason", "Ready", "reason"),
  ],
});

const target = object({
  kind: choice("Setpoint", "Kubernetes", "Agent"),
  environment: described(anyName, "The GitOpsDeploymentManagedEnvironment; empty for Setpoint."),
  server: anyText,
  namespace: anyName,
  serviceAccountName: anyName,
  digest: described(anyText, "Of the fields above. Inventories of other targets are pruned there."),
});

/** One shard of the objects of a deployment. Its name is inv-DEPLOYMENT-UID-NUMBER. */
export const inventoryKind = gitopsKind({
  names: { plural: "inventories", kind: "Inventory" },
  spec: object(
    {
      deployment: anyName,
      deploymentUID: anyText,
      shard: count,
      target,
      abandonedAt: described(
        time,
        "Set when the deployment is deleted or moves to another target: the entries are deleted " +
          "in the background, then the Inventory.",
      ),
      entries: list(
        object({
          ...reference,
          uid: described(anyText, "Empty until the object is applied for the first time."),
          digest: described(anyText, "Of the object as it was applied last."),
          wave: { type: "integer" },
          hook: described(anyText, "The phases of a hook. Empty for an object that is kept."),
          pruneOptions: described(anyText, "As in the annotation of the object."),
          status: choice(...syncStatuses),
          health,
        }),
        gitopsLimits.inventoryShard,
      ),
    },
    ["deployment", "deploymentUID", "shard"],
  ),
  status: object({
    observedGeneration: count,
    conditions,
    left: described(count, "Entries of an abandoned Inventory that still exist."),
    message: longText,
  }),
  columns: [
    textColumn("Deployment", ".spec.deployment"),
    { name: "Shard", type: "integer", jsonPath: ".spec.shard" },
  ],
  selectableFields: [".spec.deployment", ".spec.deploymentUID"],
});

/** What the agent of a pulling cluster applies. It is in the namespace of the cluster. */
export const bundleKind = gitopsKind({
  names: { plural: "syncbundles", kind: "SyncBundle" },
  spec: object(
    {
      deployment: object({ namespace: anyName, name: anyName, uid: anyText }),
      environment: anyName,
      operation: described(anyText, "The sync. A bundle of another operation replaces it."),
      revision: commitId,
      digest: described(anyText, "Of the payload of all parts."),
      action: choice("Apply", "Compare", "Remove"),
      part: count,
      parts: count,
      payloadSecret: described(
        anyName,
        "A Secret of the namespace with the steps in the key payload, compressed.",
      ),
    },
    ["deployment", "operation", "part", "parts"],
  ),
  status: object({
    operation: anyText,
    phase: choice("Running", "Failed", "Succeeded"),
    message: longText,
    payload: described(
      { type: "string", maxLength: gitopsLimits.maxBundleChars },
      "The results, compressed and as base64.",
    ),
    reportedAt: time,
  }),
  columns: [
    textColumn("Deployment", ".spec.deployment.name"),
    textColumn("Action", ".spec.action"),
    textColumn("Phase", ".status.phase"),
  ],
  selectableFields: [".spec.deployment.uid"],
});

export const operationStates = ["Waiting", "In_Progress", "Completed", "Failed"] as const;
export const operationResourceTypes = [
  "GitOpsDeployment",
  "GitOpsDeploymentSyncRun",
  "GitOpsDeploymentRepositoryCredential",
  "GitOpsDeploymentManagedEnvironment",
] as const;

/** A record. One that a user writes has no effect and is removed after the retention time. */
export const operationKind = gitopsKind({
  names: { plural: "operations", kind: "Operation", shortNames: ["gitopsop"] },
  spec: object(
    {
      operationID: described(anyText, "The id, which is also in logs and events."),
      instanceID: described(anyText, "The server process that performs it."),
      owner: described(anyText, "workspaceID: the uid of the namespace."),
      resource: described(anyText, "gitopsDeplID: the uid of the resource."),
      resourceName: anyName,
      resourceType: choice(...operationResourceTypes),
      trigger: anyText,
      revision: commitId,
    },
    ["operationID"],
  ),
  status: object({
    state: choice(...operationStates),
    message: longText,
    startedAt: time,
    lastUpdateAt: time,
    finishedAt: time,
    expiresAt: time,
  }),
  columns: [
    textColumn("Type", ".spec.resourceType"),
    textColumn("Resource", ".spec.resourceName"),
    textColumn("State", ".status.state"),
    textColumn("Message", ".status.message", 1),
  ],
  selectableFields: [".spec.resource", ".spec.resourceType"],
});
