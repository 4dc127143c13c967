// The kind GitOpsDeploymentManagedEnvironment: a target other than this server. It is reached with
// a kubeconfig, or it is a cluster whose agent pulls.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, described, list, object } from "../../../kernel/schema-parts.ts";
import { gitopsLimits } from "../limits.ts";
import { anyName, anyText, conditionColumn, conditions, count, flag } from "./kind-parts.ts";
import { gitopsKind, longText, repoUrl, textColumn, time } from "./kind-parts.ts";

/** The reasons of the condition ConnectionInitializationSucceeded. */
export const connectionReasons = [
  "Succeeded",
  "SecretNotSpecified",
  "SecretNotFound",
  "InvalidSecretType",
  "MissingKubeConfigField",
  "UnableToParseKubeconfigData",
  "UnableToLocateContext",
  "UnsupportedAPIURL",
  "UnsupportedCredentials",
  "UnableToInstallServiceAccount",
  "UnableToValidateClusterCredentials",
  "UnknownCertificateAuthority",
  "Forbidden",
  "Unreachable",
  "InvalidNamespaceList",
  "ClusterNotFound",
  "AgentNotReporting",
  "PolicyDenied",
  "UnknownError",
] as const;

const spec: JsonObject = {
  ...object({
    apiURL: described(repoUrl, "The server of a cluster in the kubeconfig. https only."),
    credentialsSecret: described(
      anyName,
      "A Secret of the type gitops.setpoint.dev/managed-environment with the key kubeconfig.",
    ),
    allowInsecureSkipTLSVerify: flag,
    createNewServiceAccount: described(
      flag,
      "Whether a ServiceAccount is created in the target. It needs `namespaces`, gets rights in " +
        "these namespaces only, and replaces the credential of the kubeconfig.",
    ),
    namespaces: described(
      list(anyName, gitopsLimits.maxEnvironmentNamespaces),
      "The namespaces of the target that may be used. Default: all.",
    ),
    clusterResources: described(
      flag,
      "Whether objects without a namespace may be applied where `namespaces` is set.",
    ),
    cluster: described(
      anyName,
      "Instead of apiURL: a data-plane cluster whose agent applies the objects.",
    ),
  }),
  "x-kubernetes-validations": [
    {
      rule:
        "(has(self.cluster) && self.cluster != '') || " +
        "(has(self.apiURL) && has(self.credentialsSecret))",
      message: "set apiURL and credentialsSecret, or cluster",
    },
    {
      rule: "!has(self.apiURL) || self.apiURL == '' || self.apiURL.startsWith('https://')",
      message: "apiURL must begin with https://",
    },
    {
      rule:
        "!has(self.createNewServiceAccount) || !self.createNewServiceAccount || " +
        "(has(self.namespaces) && self.namespaces.size() > 0)",
      message: "createNewServiceAccount needs namespaces: its rights are limited to them",
    },
  ],
};

const status: JsonObject = object({
  observedGeneration: count,
  conditions,
  server: repoUrl,
  version: anyText,
  serverUID: described(anyText, "The uid of the namespace kube-system of the target."),
  credentialDigest: described(anyText, "A keyed digest; it changes with the credential."),
  serviceAccount: object({
    namespace: anyName,
    name: anyName,
    namespaces: list(anyName, gitopsLimits.maxEnvironmentNamespaces),
    expiresAt: time,
  }),
  agent: object({ phase: choice("Reporting", "Silent"), seenAt: time }),
  message: longText,
});

export const managedEnvironmentKind = gitopsKind({
  names: {
    plural: "gitopsdeploymentmanagedenvironments",
    kind: "GitOpsDeploymentManagedEnvironment",
    shortNames: ["gitopsenvironment"],
  },
  spec,
  status,
  columns: [
    textColumn("API", ".spec.apiURL"),
    conditionColumn("Connected", "ConnectionInitializationSucceeded", "status"),
    conditionColumn("Reason", "ConnectionInitializationSucceeded", "reason"),
  ],
  selectableFields: [".spec.cluster"],
});
