// DeploymentTargetClass, DeploymentTarget and DeploymentTargetClaim: where an environment of a
// promotion is. As volumes and claims in Kubernetes, a claim asks for a target of a class, and a
// program of the administrator may provision the target.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, described, list, map, name, object } from "../../../kernel/schema-parts.ts";
import { anyName, anyText, conditions, count, flag, gitopsKind, longText } from "./kind-parts.ts";
import { repoUrl, textColumn, time } from "./kind-parts.ts";

/** How a target is reached; the fields of the seed. */
export const kubernetesCredentials: JsonObject = object(
  {
    apiURL: repoUrl,
    clusterCredentialsSecret: described(name, "A Secret of the namespace with the key kubeconfig."),
    targetNamespace: described(anyName, "For objects that name none."),
    defaultNamespace: described(anyName, "The same, in targets of the seed."),
    allowInsecureSkipTLSVerify: flag,
    namespaces: list(anyName, 1_000),
    clusterResources: flag,
    ingressDomain: anyText,
  },
  ["apiURL", "clusterCredentialsSecret"],
);

const reference = object({ name: anyName, uid: anyText });

export const targetClassKind = gitopsKind({
  names: {
    plural: "deploymenttargetclasses",
    kind: "DeploymentTargetClass",
    shortNames: ["dtcls"],
  },
  scope: "Cluster",
  spec: object(
    {
      provisioner: described(
        name,
        "The program that creates DeploymentTargets for claims of the class, as it calls itself.",
      ),
      parameters: described(map(longText, 100), "For the provisioner."),
      reclaimPolicy: described(
        choice("Retain", "Delete"),
        "What happens to a target after its claim was deleted. Default: Retain.",
      ),
    },
    ["provisioner"],
  ),
  columns: [
    textColumn("Provisioner", ".spec.provisioner"),
    textColumn("Reclaim", ".spec.reclaimPolicy"),
  ],
});

export const targetPhases = ["Pending", "Available", "Bound", "Released", "Failed"] as const;

export const targetKind = gitopsKind({
  names: { plural: "deploymenttargets", kind: "DeploymentTarget", shortNames: ["dt"] },
  spec: object(
    {
      deploymentTargetClassName: name,
      claimRef: described(object({ name }, ["name"]), "The only claim that may have it."),
      kubernetesCredentials,
    },
    ["deploymentTargetClassName", "kubernetesCredentials"],
  ),
  status: object({
    observedGeneration: count,
    conditions,
    phase: choice(...targetPhases),
    claim: described(reference, "The claim that has it. Only this claim ever gets it."),
    releasedAt: time,
    message: longText,
  }),
  columns: [
    textColumn("Class", ".spec.deploymentTargetClassName"),
    textColumn("Phase", ".status.phase"),
    textColumn("Claim", ".status.claim.name"),
  ],
  selectableFields: [".spec.deploymentTargetClassName"],
});

export const targetClaimKind = gitopsKind({
  names: { plural: "deploymenttargetclaims", kind: "DeploymentTargetClaim", shortNames: ["dtc"] },
  spec: object(
    {
      deploymentTargetClassName: name,
      targetName: described(anyName, "A DeploymentTarget. Default: any free one of the class."),
    },
    ["deploymentTargetClassName"],
  ),
  status: object({
    observedGeneration: count,
    conditions,
    phase: choice("Pending", "Bound", "Lost"),
    targetName: described(anyName, "The DeploymentTarget that it has."),
    provisioner: described(anyText, "Of its class: the program that may create a target."),
    message: longText,
  }),
  columns: [
    textColumn("Class", ".spec.deploymentTargetClassName"),
    textColumn("Phase", ".status.phase"),
    textColumn("Target", ".status.targetName"),
  ],
  selectableFields: [".spec.deploymentTargetClassName"],
  fieldRules: [
    { path: "/spec/deploymentTargetClassName", rule: "create-only" },
    { path: "/spec/targetName", rule: "create-only" },
  ],
});
