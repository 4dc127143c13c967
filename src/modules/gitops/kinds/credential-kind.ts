// The kind GitOpsDeploymentRepositoryCredential: a Secret for a git repository.

import type { JsonObject } from "../../../kernel/json.ts";
import { described, object } from "../../../kernel/schema-parts.ts";
import { anyName, anyText, conditionColumn, conditions, count } from "./kind-parts.ts";
import { gitopsKind, longText, repoUrl, textColumn } from "./kind-parts.ts";

/** The reasons of the three conditions. */
export const credentialReasons = [
  "RepositoryCredentialUpToDate",
  "ValidRepositoryUrl",
  "SecretNotSpecified",
  "SecretNotFound",
  "SecretInvalidType",
  "InvalidCredentials",
  "InvalidRepositoryUrl",
  "HostUnreachable",
  "PolicyDenied",
  "ErrorOccurred",
] as const;

const pem = { type: "string", maxLength: 65_536 };

const spec: JsonObject = object(
  {
    repository: {
      ...repoUrl,
      description: "https://…, ssh://… or user@host:path.",
      "x-kubernetes-validations": [
        {
          rule: "self.matches('^(https|ssh)://[^/]+') || self.matches('^[^/:@]+@[^/:]+:[^/].*$')",
          message: "must begin with https:// or ssh://, or have the form user@host:path",
        },
      ],
    },
    secret: described(
      anyName,
      "A Secret of the type gitops.setpoint.dev/repository-credential with username and " +
        "password, or sshPrivateKey.",
    ),
    caBundle: described(pem, "Authorities that sign the certificate of the host, as PEM."),
    knownHosts: described(pem, "Keys of SSH hosts, as in known_hosts. SSH needs them."),
  },
  ["repository", "secret"],
);

const status: JsonObject = object({
  observedGeneration: count,
  conditions,
  repository: described(repoUrl, "The URL as it is compared: see the reference."),
  secretDigest: described(anyText, "A keyed digest; it changes with the Secret."),
  message: longText,
});

export const credentialKind = gitopsKind({
  names: {
    plural: "gitopsdeploymentrepositorycredentials",
    kind: "GitOpsDeploymentRepositoryCredential",
    shortNames: ["gitopscredential"],
  },
  spec,
  status,
  columns: [
    textColumn("Repository", ".spec.repository"),
    conditionColumn("Valid URL", "ValidRepositoryURL", "status"),
    conditionColumn("Valid Credential", "ValidRepositoryCredential", "status"),
    conditionColumn("Reason", "ValidRepositoryCredential", "reason"),
  ],
});
