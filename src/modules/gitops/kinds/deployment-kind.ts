// The kind GitOpsDeployment: a path of a git repository whose objects are kept in a target. The
// fields `source.repoURL`, `source.path`, `source.targetRevision`, `destination`, `syncPolicy.
// syncOptions` and `type`, and the status below `sync`, `health`, `resources`, `reconciledState`,
// `operationState` and `conditions`, are those of the seed.

import type { JsonObject } from "../../../kernel/json.ts";
import { anything, choice, described, list, map, name } from "../../../kernel/schema-parts.ts";
import { object } from "../../../kernel/schema-parts.ts";
import { gitopsLimits } from "../limits.ts";
import { anyName, anyText, commitId, flag, healthChecks } from "./kind-parts.ts";
import { gitopsKind, longText, refName, repoUrl, secretKey, syncWindows } from "./kind-parts.ts";
import { textColumn } from "./kind-parts.ts";
import { deploymentStatus } from "./deployment-status.ts";

const seconds = (least: number): JsonObject => ({
  type: "integer",
  minimum: least,
  maximum: 2_592_000,
});

const patterns = list({ type: "string", minLength: 1, maxLength: 1_024 }, 100);

const directory = described(
  object({
    recurse: described(flag, "Whether folders below the path are read. Default: true."),
    include: described(patterns, "Globs of files below the path. Default: *.yaml, *.yml, *.json."),
    exclude: described(patterns, "Globs of files that are not read."),
  }),
  "For a path without kustomization and without chart.",
);

const kustomize = described(
  object({
    namePrefix: anyText,
    nameSuffix: anyText,
    images: described(list(anyText, 200), "As in `kustomize edit set image`."),
    commonLabels: map({ type: "string", maxLength: 63 }, 100),
    commonAnnotations: map({ type: "string", maxLength: 65_536 }, 100),
  }),
  "For a path with a kustomization.",
);

const helm = described(
  object({
    releaseName: described(anyName, "Default: the name of the deployment."),
    valueFiles: described(
      list({ type: "string", minLength: 1, maxLength: 4_096 }, 50),
      "Files of the repository, relative to the path. Later ones win.",
    ),
    values: described({ type: "object", ...anything }, "Values that win over all files."),
    parameters: described(
      list(
        object(
          {
            name: { type: "string", minLength: 1, maxLength: 1_024, pattern: "^[^=,\\\\]+$" },
            value: longText,
            forceString: described(flag, "Whether 1 and true are texts."),
          },
          ["name", "value"],
        ),
        200,
      ),
      "Single values, as `helm --set`; they win over all others.",
    ),
    skipCrds: flag,
    kubeVersion: anyText,
    apiVersions: list(anyText, 500),
  }),
  "For a path with a chart.",
);

const source: JsonObject = object(
  {
    repoURL: described(repoUrl, "https://… or ssh://…, or user@host:path."),
    path: described(
      { type: "string", maxLength: gitopsLimits.maxPathChars },
      "A folder of the repository.",
    ),
    targetRevision: described(refName, "A branch, tag or commit. Default: HEAD."),
    credential: described(
      anyName,
      "A GitOpsDeploymentRepositoryCredential. Default: the one for this URL, if there is one.",
    ),
    tool: described(
      choice("Directory", "Kustomize", "Helm"),
      "Default: Helm with a Chart.yaml, Kustomize with a kustomization, else Directory.",
    ),
    directory,
    kustomize,
    helm,
    intervalSeconds: described(
      {
        type: "integer",
        minimum: gitopsLimits.minPollSeconds,
        maximum: gitopsLimits.maxPollSeconds,
      },
      "How often the repository is compared. Default: that of the server.",
    ),
    webhook: described(
      object(
        {
          provider: choice("GitHub", "GitLab", "Gitea", "Bitbucket", "BitbucketServer"),
          secretRef: described(secretKey, "The shared secret."),
        },
        ["provider", "secretRef"],
      ),
      "Lets the git host announce pushes at status.webhook.url.",
    ),
    verify: described(
      object({ secretName: described(name, "A Secret with public keys, one in each key.") }, [
        "secretName",
      ]),
      "Only commits with a valid signature of one of the keys are used.",
    ),
  },
  ["repoURL", "path"],
);

const destination: JsonObject = object({
  environment: described(
    anyName,
    "A GitOpsDeploymentManagedEnvironment. Default: this server, in the own namespace.",
  ),
  namespace: described(anyName, "For objects that name none. Needs an environment."),
});

const retry = object({
  limit: described(
    { type: "integer", minimum: -1, maximum: 1_000 },
    "Retries of a failed sync of one commit. -1: without a bound, which is the default.",
  ),
  firstSeconds: { type: "integer", minimum: 1, maximum: 3_600 },
  factor: { type: "integer", minimum: 1, maximum: 10 },
  mostSeconds: { type: "integer", minimum: 1, maximum: 86_400 },
});

const syncPolicy: JsonObject = object({
  syncOptions: described(
    list(choice("CreateNamespace=true", "CreateNamespace=false"), 10),
    "CreateNamespace: whether a missing namespace is created.",
  ),
  prune: described(
    flag,
    "Whether objects that are removed from git are deleted. Default: true for automated.",
  ),
  selfHeal: described(
    flag,
    "Whether changes of live objects are reverted. Default: true for automated.",
  ),
  allowEmpty: described(
    flag,
    "Whether a revision without objects may delete all of them without a confirmation.",
  ),
  pruneLast: described(flag, "Whether objects are deleted after the last wave."),
  onError: described(
    choice("Stop", "Continue"),
    "Whether the first refused object ends a sync, before anything is written. Default: Stop.",
  ),
  deletion: described(
    choice("Delete", "Orphan"),
    "What happens to the objects when the deployment is deleted. Default: Delete.",
  ),
  retry,
  timeoutSeconds: described(seconds(10), "How long one sync may take."),
  waveTimeoutSeconds: described(
    seconds(1),
    "How long the objects of one wave may take to become healthy.",
  ),
  windows: syncWindows,
  confirmPrune: described(
    { type: "string", maxLength: 128 },
    "status.prune.hash of deletions that are held. It confirms exactly those.",
  ),
});

const ignoreDifferences = described(
  list(
    object(
      {
        group: anyText,
        kind: name,
        namespace: anyName,
        name: anyName,
        jsonPointers: list({ type: "string", pattern: "^/", maxLength: 1_024 }, 100),
        managers: described(list(anyName, 50), "Fields that one of these field managers owns."),
      },
      ["kind"],
    ),
    gitopsLimits.maxIgnoreRules,
  ),
  "Fields that are neither compared nor applied when they exist.",
);

const dependsOn = described(
  list(
    object(
      {
        name: described(name, "A GitOpsDeployment of the namespace."),
        condition: described(
          choice("Synced", "Healthy"),
          "What it has to be, at the revision that it shows. Default: Healthy.",
        ),
      },
      ["name"],
    ),
    gitopsLimits.maxDependencies,
  ),
  "A sync waits for these deployments.",
);

const pin = described(
  object(
    {
      revision: described(commitId, "The commit that is kept in the target."),
      head: described(
        commitId,
        "The pin ends when targetRevision is another commit than this one. Default: it stays.",
      ),
      reason: longText,
    },
    ["revision"],
  ),
  "A rollback. `setpoint gitops rollback` sets it; automated sync keeps it.",
);

const spec: JsonObject = {
  ...object(
    {
      source,
      destination,
      syncPolicy,
      type: described(
        choice("automated", "manual"),
        "automated: each commit is applied. manual: a GitOpsDeploymentSyncRun applies it.",
      ),
      serviceAccountName: described(
        anyName,
        "The ServiceAccount of the namespace that applies. Default: gitops.",
      ),
      ignoreDifferences,
      dependsOn,
      healthChecks: described(healthChecks, "They are tried before HealthRules."),
      pin,
    },
    ["source", "type"],
  ),
  "x-kubernetes-validations": [
    {
      rule:
        "!has(self.destination) || !has(self.destination.namespace) || " +
        "self.destination.namespace == '' || " +
        "(has(self.destination.environment) && self.destination.environment != '')",
      message:
        "the environment must not be empty when the namespace is set: set destination.environment",
    },
  ],
};

export const deploymentKind = gitopsKind({
  names: {
    plural: "gitopsdeployments",
    kind: "GitOpsDeployment",
    shortNames: ["gitopsdepl"],
    categories: ["gitops"],
  },
  spec,
  status: deploymentStatus,
  columns: [
    textColumn("Sync Status", ".status.sync.status"),
    textColumn("Health Status", ".status.health.status"),
    textColumn("Revision", ".status.sync.revision", 1),
    textColumn("Message", '.status.conditions[?(@.type=="Ready")].message', 1),
  ],
  selectableFields: [
    ".spec.destination.environment",
    ".spec.source.credential",
    ".status.source.name",
  ],
});
