// VaultServer (cluster-wide, for administrators: it decides where credentials go), VaultSecret
// and VaultRead: one secret of a KV engine of version 2 that is written, or only read.

import type { DeclaredKind } from "../../../contract/module.ts";
import { allowedNamespaces } from "../../../kernel/allowed-namespaces.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object } from "../../../kernel/schema-parts.ts";
import { readyColumns } from "../columns.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { driftPolicySchema, targetStatus } from "../target/drift.ts";
import { accountSchema } from "../../../acting/identity.ts";
import { secretRefSchema } from "../target/secret-reference.ts";
import { generateSchema } from "./generate.ts";
import { healthWords } from "./vault-health.ts";

export const vaultServersKind = `vaultservers.${executorsGroup}`;
export const vaultReadsKind = `vaultreads.${executorsGroup}`;
export const vaultSecretsKind = `vaultsecrets.${executorsGroup}`;
export const sharedVault = { kind: vaultServersKind, word: "VaultServer" } as const;
export const serverField = "spec.server";

const fixed = { "x-setpoint-field-rule": "create-only" };
const path = { type: "string", pattern: "^[^/].*[^/]$|^[^/]$", maxLength: 512 };
const mount = { type: "string", pattern: "^[A-Za-z0-9_.-][A-Za-z0-9_./-]*$", maxLength: 128 };
const digest = { type: "string", maxLength: 64 };
const version = { type: "integer", minimum: 0 };

const auth = described(
  object({
    token: described(secretRefSchema, "A token, in a Secret."),
    appRole: described(
      object({ mount, roleId: name, secretId: secretRefSchema }, ["roleId"]),
      "Login by AppRole. The default of mount is approle.",
    ),
    jwt: described(
      object(
        {
          mount,
          role: name,
          audience: described(name, "Audience of the token. Default: vault."),
          serviceAccount: described(
            object({ namespace: name, name }, ["namespace", "name"]),
            "The ServiceAccount that logs in. Default: that of each VaultSecret.",
          ),
        },
        ["role"],
      ),
      "Login with the token of a ServiceAccount of this server, at the methods kubernetes and jwt.",
    ),
  }),
  "One of token, appRole and jwt.",
);

const serverSpec = object(
  {
    url: described(
      { type: "string", pattern: "^https?://", maxLength: 2_048 },
      "Where the API begins, without /v1: https://vault.example:8200",
    ),
    namespace: described({ type: "string", maxLength: 253 }, "A namespace of Vault Enterprise."),
    ca: described(
      { type: "string", maxLength: 65_536 },
      "Additional trusted certificate authorities, as PEM.",
    ),
    auth,
    resyncSeconds: described(
      { type: "integer", minimum: 5, maximum: 86_400, default: executorLimits.resyncSeconds },
      "How often secrets are compared with the server, by their version.",
    ),
    allow: described(
      object({
        namespaces: allowedNamespaces,
        paths: described(
          list({ type: "string", minLength: 1, maxLength: 512 }, 100),
          "MOUNT/PATH must begin with one of these. {namespace} is that of the VaultSecret.",
        ),
        reads: described(
          list({ type: "string", minLength: 1, maxLength: 512 }, 100),
          "MOUNT/PATH of a VaultRead must begin with one of these. Default: none.",
        ),
        takeOver: described(
          { type: "boolean" },
          "Whether VaultSecrets may replace secrets that Setpoint did not create.",
        ),
      }),
      "Who may use the server for which paths. Without it, no namespace may.",
    ),
  },
  ["url", "auth"],
);

const secretSpec = object(
  {
    server: described({ ...name, ...fixed }, "Name of the VaultServer."),
    mount: described({ ...mount, ...fixed, default: "secret" }, "Path of the KV engine."),
    path: described({ ...path, ...fixed }, "Path of the secret in the engine."),
    data: described(
      {
        ...map({ type: "string", maxLength: 65_536 }, executorLimits.maxVaultKeys),
        "x-setpoint-field-rule": "secret",
      },
      "Values by key.",
    ),
    generate: generateSchema,
    deletion: described(
      { ...choice("SoftDelete", "Destroy", "Keep"), default: "SoftDelete" },
      "What happens in Vault when the VaultSecret is deleted.",
    ),
    takeOver: described(
      { type: "boolean" },
      "Whether to replace a secret that Setpoint did not create. The VaultServer must allow it.",
    ),
    driftPolicy: driftPolicySchema,
    serviceAccountName: accountSchema,
  },
  ["server", "path"],
);

const secretStatus = object({
  ...targetStatus,
  applied: described(digest, "Digest of the values written last."),
  version: described(version, "The version that was written last."),
  pending: described(
    object({ version, digest }),
    "The version that a running write creates, and the digest of its values.",
  ),
});

const readSpec = object(
  {
    server: described({ ...name, ...fixed }, "Name of the VaultServer."),
    mount: described({ ...mount, ...fixed, default: "secret" }, "Path of the KV engine."),
    path: described({ ...path, ...fixed }, "Path of the secret in the engine."),
    serviceAccountName: accountSchema,
  },
  ["server", "path"],
);

const readStatus = object({
  ...targetStatus,
  version: described(version, "The version that the Secret has."),
});

const serverKind: KindInput = {
  group: executorsGroup,
  names: { plural: "vaultservers", kind: "VaultServer", categories: ["executors"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: serverSpec, status: object({ health: choice(...healthWords) }) }, [
        "spec",
      ]),
      printerColumns: [
        { name: "URL", type: "string", jsonPath: ".spec.url" },
        { name: "Health", type: "string", jsonPath: ".status.health" },
        ...readyColumns,
      ],
    },
  ],
};

const secretKind: KindInput = {
  group: executorsGroup,
  names: { plural: "vaultsecrets", kind: "VaultSecret", categories: ["executors"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: secretSpec, status: secretStatus }, ["spec"]),
      selectableFields: [`.${serverField}`],
      printerColumns: [
        { name: "Server", type: "string", jsonPath: ".spec.server" },
        { name: "Path", type: "string", jsonPath: ".spec.path" },
        { name: "Version", type: "integer", jsonPath: ".status.version" },
        { name: "Drift", type: "string", jsonPath: ".status.drift.state" },
        ...readyColumns,
      ],
    },
  ],
};

const readKind: KindInput = {
  group: executorsGroup,
  names: { plural: "vaultreads", kind: "VaultRead", categories: ["executors"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: readSpec, status: readStatus }, ["spec"]),
      selectableFields: [`.${serverField}`],
      printerColumns: [
        { name: "Server", type: "string", jsonPath: ".spec.server" },
        { name: "Path", type: "string", jsonPath: ".spec.path" },
        { name: "Version", type: "integer", jsonPath: ".status.version" },
        ...readyColumns,
      ],
    },
  ],
};

export const vaultKinds: readonly DeclaredKind[] = [
  { kind: readKind, isReconciled: true },
  { kind: serverKind, isReconciled: true, isQuiet: true },
  { kind: secretKind, isReconciled: true },
];
