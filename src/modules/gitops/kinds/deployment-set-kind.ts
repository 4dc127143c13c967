// The kind GitOpsDeploymentSet: one GitOpsDeployment for each branch, directory, environment or
// item, or for each combination of them.

import { labelSelector } from "../../../kernel/allowed-namespaces.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { anything, choice, described, list, map, object } from "../../../kernel/schema-parts.ts";
import { gitopsLimits } from "../limits.ts";
import { anyName, anyText, conditionColumn, conditions, count, flag } from "./kind-parts.ts";
import {
  gitopsKind,
  health,
  longText,
  refName,
  repoUrl,
  syncStatuses,
  time,
} from "./kind-parts.ts";

const patterns = list(
  { type: "string", minLength: 1, maxLength: 1_024 },
  gitopsLimits.maxSetPatterns,
);
const repository = {
  repoURL: described(repoUrl, "As in the source of a GitOpsDeployment."),
  credential: described(anyName, "Default: the credential for this URL, if there is one."),
};
const exclude = described(patterns, "What is left out, with *.");

const generate: JsonObject = {
  ...object({
    branches: described(
      object(
        {
          ...repository,
          include: described(patterns, "Names of branches, with *. Default: all."),
          exclude,
        },
        ["repoURL"],
      ),
      "The variable `branch` with name, slug and commit.",
    ),
    directories: described(
      object(
        {
          ...repository,
          targetRevision: described(refName, "A branch, tag or commit. Default: HEAD."),
          include: described(patterns, "Folders with files, such as apps/*; * matches no slash."),
          exclude,
        },
        ["repoURL", "include"],
      ),
      "The variable `directory` with path, name and slug.",
    ),
    environments: described(
      object({ selector: described(labelSelector, "Labels; empty: all.") }, ["selector"]),
      "GitOpsDeploymentManagedEnvironments of the namespace: the variable `environment` with " +
        "name, server and labels.",
    ),
    items: described(
      list(map(longText, 100), gitopsLimits.maxSetItems),
      "Texts by name: the variable `item`.",
    ),
  }),
  minProperties: 1,
};

const template: JsonObject = object(
  {
    metadata: object(
      {
        name: described(longText, "Such as preview-${branch.slug}."),
        labels: map(longText, 100),
        annotations: map({ type: "string", maxLength: 65_536 }, 100),
      },
      ["name"],
    ),
    spec: described({ type: "object", ...anything }, "Of the GitOpsDeployments."),
  },
  ["metadata", "spec"],
);

const spec: JsonObject = object(
  {
    generate: described(generate, "Several of them are combined, each with each."),
    template: described(
      template,
      "A GitOpsDeployment whose texts may have CEL expressions in ${…} over the variables and " +
        "`set` with name and namespace.",
    ),
    removal: described(
      object({
        policy: described(
          choice("Delete", "Keep"),
          "What happens to a deployment that is not generated any more. Default: Delete.",
        ),
        allowEmpty: described(flag, "Whether all of them may be deleted without a confirmation."),
        confirm: described(
          { type: "string", maxLength: 128 },
          "status.removal.hash of deletions that are held. It confirms exactly those.",
        ),
      }),
      "Deletion of all of several, or of more than half and more than ten, is held.",
    ),
  },
  ["generate", "template"],
);

const status: JsonObject = object({
  observedGeneration: count,
  conditions,
  generated: described(count, "Combinations."),
  deployments: list(
    object({
      name: anyName,
      from: described(anyText, "What it was generated from."),
      sync: choice(...syncStatuses),
      health,
      message: longText,
    }),
    gitopsLimits.maxStatusResources,
  ),
  summary: object({
    deployments: count,
    synced: count,
    healthy: count,
    omitted: described(count, "Deployments that `deployments` does not list."),
  }),
  removal: described(
    object({
      hash: { type: "string", maxLength: 128 },
      reason: choice("All", "Many"),
      deployments: count,
      named: list(anyName, gitopsLimits.maxNamed),
      since: time,
    }),
    "Deletions that wait for spec.removal.confirm.",
  ),
  sources: described(list(anyName, 10), "GitSources of directories."),
});

export const deploymentSetKind = gitopsKind({
  names: {
    plural: "gitopsdeploymentsets",
    kind: "GitOpsDeploymentSet",
    shortNames: ["gitopsset"],
  },
  spec,
  status,
  columns: [
    { name: "Deployments", type: "integer", jsonPath: ".status.summary.deployments" },
    { name: "Synced", type: "integer", jsonPath: ".status.summary.synced" },
    { name: "Healthy", type: "integer", jsonPath: ".status.summary.healthy" },
    conditionColumn("Reason", "Ready", "reason"),
  ],
});
