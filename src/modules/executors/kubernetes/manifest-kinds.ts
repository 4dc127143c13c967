// KubernetesTarget (cluster-wide, for administrators: it has credentials of a cluster) and
// ManifestSet (objects of one API server that are applied, followed and pruned together).

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

export const kubernetesTargetsKind = `kubernetestargets.${executorsGroup}`;
export const manifestSetsKind = `manifestsets.${executorsGroup}`;
export const sharedTarget = { kind: kubernetesTargetsKind, word: "KubernetesTarget" } as const;
export const targetField = "spec.target";

const text = { type: "string", maxLength: 2_048 };

const targetSpec = object(
  {
    kubeconfig: described(secretRefSchema, "A kubeconfig in a Secret."),
    context: described(name, "Default: the current context of the kubeconfig."),
    resyncSeconds: described(
      { type: "integer", minimum: 5, maximum: 86_400, default: 60 },
      "How often objects are compared with the cluster, and their health is read.",
    ),
    allow: described(
      object({
        namespaces: allowedNamespaces,
        targetNamespaces: described(
          list(name, 1_000),
          "Namespaces of the cluster. {namespace} is that of the ManifestSet. Default: all.",
        ),
        clusterScoped: described(
          { type: "boolean" },
          "Whether objects without a namespace may be applied.",
        ),
      }),
      "Who may use the target for which objects. Without it, no namespace may.",
    ),
  },
  ["kubeconfig"],
);

const manifest = {
  type: "object",
  required: ["apiVersion", "kind", "metadata"],
  properties: {
    apiVersion: name,
    kind: name,
    metadata: {
      type: "object",
      required: ["name"],
      properties: { name },
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
  "x-kubernetes-preserve-unknown-fields": true,
};
const manifests = list(manifest, executorLimits.maxManifests);

const setSpec = object({
  target: described(
    { ...name, "x-setpoint-field-rule": "create-only" },
    "Name of the KubernetesTarget. Default: this server, in the name of the ServiceAccount.",
  ),
  namespace: described(
    name,
    "For manifests without a namespace. Default: the namespace of the ManifestSet.",
  ),
  manifests: described(manifests, "Objects that are applied in order."),
  secretManifests: described(
    { ...manifests, "x-setpoint-field-rule": "secret" },
    "Objects that are never shown, such as Secrets. They are applied before the others.",
  ),
  outputs: described(
    map({ type: "string", minLength: 1, maxLength: 4_096 }, 100),
    'CEL over `objects`, a map by "KIND/NAME".',
  ),
  prune: described(
    { type: "boolean", default: true },
    "Whether objects that are removed from the manifests are deleted.",
  ),
  healthTimeoutSeconds: { type: "integer", minimum: 1, maximum: 86_400, default: 600 },
  driftPolicy: driftPolicySchema,
  serviceAccountName: accountSchema,
});

const reference = { apiVersion: text, kind: text, namespace: text, name: text };

const setStatus = object({
  ...targetStatus,
  applied: described({ type: "string", maxLength: 64 }, "Digest of the objects applied last."),
  appliedAt: { type: "string", format: "date-time" },
  inventory: described(
    list(object(reference), 2 * executorLimits.maxManifests),
    "Objects that this resource may have created.",
  ),
  objects: list(
    object({
      ...reference,
      health: choice("Healthy", "Progressing", "Degraded", "Missing"),
      message: text,
    }),
    executorLimits.maxManifests,
  ),
});

const targetKind: KindInput = {
  group: executorsGroup,
  names: { plural: "kubernetestargets", kind: "KubernetesTarget", categories: ["executors"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: targetSpec, status: object({ server: text, version: text }) }, [
        "spec",
      ]),
      printerColumns: [
        { name: "Server", type: "string", jsonPath: ".status.server" },
        { name: "Version", type: "string", jsonPath: ".status.version" },
        ...readyColumns,
      ],
    },
  ],
};

const setKind: KindInput = {
  group: executorsGroup,
  names: { plural: "manifestsets", kind: "ManifestSet", categories: ["executors"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: setSpec, status: setStatus }, ["spec"]),
      selectableFields: [`.${targetField}`],
      printerColumns: [
        { name: "Target", type: "string", jsonPath: ".spec.target" },
        { name: "Drift", type: "string", jsonPath: ".status.drift.state" },
        ...readyColumns,
      ],
    },
  ],
};

export const kubernetesKinds: readonly DeclaredKind[] = [
  { kind: targetKind, isReconciled: true, isQuiet: true },
  { kind: setKind, isReconciled: true },
];
