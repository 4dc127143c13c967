// Environment, Snapshot, SnapshotEnvironmentBinding and PromotionRun: versions of an application on
// their way through environments. The plural of Environment is its own, because another group of
// this server has a kind with the same name.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { kubernetesCredentials } from "./delivery-target-kinds.ts";
import { anyName, anyText, commitId, conditionColumn, conditions, count } from "./kind-parts.ts";
import { gitopsKind, health, longText, refName, repoUrl, syncStatuses } from "./kind-parts.ts";
import { textColumn, time } from "./kind-parts.ts";

const seconds = (least: number): JsonObject => ({
  type: "integer",
  minimum: least,
  maximum: 2_592_000,
});

const verification = described(
  object(
    {
      checks: list(
        object(
          {
            name,
            expression: described(
              longText,
              "CEL that is true when the version works, over `deployments`: a list with " +
                "component, sync, health, revision and resources.",
            ),
          },
          ["name", "expression"],
        ),
        50,
      ),
      timeoutSeconds: described(seconds(1), "How long the checks may take. Default: 300."),
      repeatSeconds: described(seconds(10), "How often they run again. Default: when requested."),
    },
    ["checks"],
  ),
  "What has to be true after a deployment.",
);

export const promotionEnvironmentKind = gitopsKind({
  names: {
    plural: "promotionenvironments",
    singular: "promotionenvironment",
    kind: "Environment",
    shortNames: ["promoenv"],
  },
  spec: object(
    {
      displayName: anyText,
      type: anyText,
      deploymentStrategy: described(
        choice("Automated", "Manual", "AppStudioAutomated"),
        "Automated: automated promotions continue here. AppStudioAutomated is the same.",
      ),
      parentEnvironment: described(anyName, "The Environment before this one."),
      tags: list(anyText, 100),
      promoteFrom: described(
        choice("Any", "Parent"),
        "Parent: only versions that are deployed and verified in parentEnvironment. Default: Any.",
      ),
      verification,
      configuration: object({
        target: object({
          deploymentTargetClaim: object({ claimName: anyName }),
        }),
      }),
      unstableConfigurationFields: described(
        object({ clusterType: anyText, kubernetesCredentials }),
        "A cluster, instead of a claim. Without both: this server, in the own namespace.",
      ),
    },
    ["displayName", "deploymentStrategy"],
  ),
  status: object({
    observedGeneration: count,
    conditions,
    managedEnvironment: described(anyName, "The GitOpsDeploymentManagedEnvironment."),
    targetNamespace: anyName,
    message: longText,
  }),
  columns: [
    textColumn("Parent", ".spec.parentEnvironment"),
    textColumn("Strategy", ".spec.deploymentStrategy"),
    conditionColumn("Reconciled", "Reconciled", "status"),
    conditionColumn("Reason", "Reconciled", "reason"),
  ],
  selectableFields: [".spec.parentEnvironment"],
});

const component: JsonObject = object(
  {
    name,
    containerImage: described(longText, "For kustomizations: the image named as the component."),
    source: object({
      git: object(
        {
          url: repoUrl,
          revision: described(refName, "Better a commit than a branch: a Snapshot is a version."),
          context: described(longText, "A folder; ${environment.name} is that of the binding."),
        },
        ["url"],
      ),
    }),
  },
  ["name"],
);

export const snapshotKind = gitopsKind({
  names: { plural: "snapshots", kind: "Snapshot" },
  spec: object(
    {
      application: name,
      displayName: anyText,
      displayDescription: longText,
      components: list(component, 200),
      artifacts: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
    ["application"],
  ),
  columns: [textColumn("Application", ".spec.application")],
  selectableFields: [".spec.application"],
  fieldRules: [
    { path: "/spec/application", rule: "create-only" },
    { path: "/spec/components", rule: "create-only" },
  ],
});

const deployed: JsonObject = list(
  object({
    componentName: anyName,
    gitopsDeployment: anyName,
    syncStatus: choice("", ...syncStatuses),
    health,
    commitID: commitId,
  }),
  200,
);

export const verificationPhases = ["Running", "Passed", "Failed"] as const;

const verificationStatus = described(
  object({
    snapshot: anyName,
    attempt: count,
    phase: choice(...verificationPhases),
    hasPassed: described(
      { type: "boolean" },
      "Whether an attempt passed since the Snapshot was deployed.",
    ),
    request: described(anyText, "The value of the annotation gitops.setpoint.dev/verify."),
    checks: list(object({ name: anyText, passed: { type: "boolean" }, message: longText }), 50),
    startedAt: time,
    finishedAt: time,
  }),
  "The newest attempt.",
);

export const bindingKind = gitopsKind({
  names: {
    plural: "snapshotenvironmentbindings",
    kind: "SnapshotEnvironmentBinding",
    shortNames: ["snapshotbinding"],
  },
  spec: object(
    {
      application: name,
      environment: described(name, "An Environment of this group."),
      snapshot: name,
      components: described(list(object({ name }, ["name"]), 200), "Those that are deployed."),
    },
    ["application", "environment", "snapshot", "components"],
  ),
  status: object({
    observedGeneration: count,
    conditions,
    components: described(
      list(
        object({
          name: anyName,
          gitOpsRepository: object({
            url: repoUrl,
            branch: refName,
            path: longText,
            commitID: commitId,
          }),
        }),
        200,
      ),
      "Written by a service that creates repositories for components; it wins over the Snapshot.",
    ),
    gitopsDeployments: deployed,
    componentDeploymentConditions: conditions,
    snapshot: described(anyName, "The Snapshot that is deployed completely."),
    verification: verificationStatus,
    verified: described(list(anyName, 50), "Snapshots that passed here, the newest first."),
  }),
  columns: [
    textColumn("Application", ".spec.application"),
    textColumn("Environment", ".spec.environment"),
    textColumn("Snapshot", ".spec.snapshot"),
    {
      name: "Deployed",
      type: "string",
      jsonPath: ".status.componentDeploymentConditions[0].message",
    },
    textColumn("Verification", ".status.verification.phase"),
  ],
  selectableFields: [".spec.application", ".spec.environment"],
  fieldRules: [
    { path: "/spec/application", rule: "create-only" },
    { path: "/spec/environment", rule: "create-only" },
  ],
});

export const promotionPhases = ["Waiting", "Active", "Succeeded", "Failed"] as const;

export const promotionRunKind = gitopsKind({
  names: { plural: "promotionruns", kind: "PromotionRun", shortNames: ["promotion"] },
  spec: {
    ...object(
      {
        snapshot: name,
        application: name,
        manualPromotion: object({ targetEnvironment: name }, ["targetEnvironment"]),
        automatedPromotion: described(
          object({ initialEnvironment: name }, ["initialEnvironment"]),
          "The environment, then those whose parent it is and whose strategy is Automated.",
        ),
        timeoutSeconds: described(seconds(10), "For each environment. Default: 600."),
      },
      ["snapshot", "application"],
    ),
    "x-kubernetes-validations": [
      {
        rule: "has(self.manualPromotion) != has(self.automatedPromotion)",
        message: "set either manualPromotion or automatedPromotion",
      },
      { rule: "self == oldSelf", message: "a PromotionRun cannot be changed: create another one" },
    ],
  },
  status: object({
    observedGeneration: count,
    conditions,
    phase: choice(...promotionPhases),
    state: choice("Waiting", "Active", "Complete"),
    completionResult: choice("Success", "Failure"),
    message: longText,
    activeBindings: list(anyName, 200),
    environmentStatus: list(
      object({
        step: count,
        environmentName: anyName,
        status: choice("Waiting", "In Progress", "Success", "Failed"),
        displayStatus: longText,
        startedAt: time,
      }),
      200,
    ),
    promotionStartTime: time,
    promotionEndTime: time,
  }),
  columns: [
    textColumn("Application", ".spec.application"),
    textColumn("Snapshot", ".spec.snapshot"),
    textColumn("Phase", ".status.phase"),
    textColumn("Message", ".status.message", 1),
  ],
  selectableFields: [".spec.application"],
});
