// What a cluster has in this server: its namespace, and the credential of its agent, which may read
// the namespace and nothing else. Reports are written by the agent API, which checks each of them,
// so the credential has no right to write. Pure.

import type { ChildDocument } from "../../../engine/reconciler.ts";
import { agentAccount, clusterNamespace, fleetGroup } from "../names.ts";

export interface NamedDocument {
  /** Of the step that applies it. */
  readonly step: string;
  readonly document: ChildDocument;
}

/** In the order in which they are applied. */
export function clusterResources(cluster: string): readonly NamedDocument[] {
  const namespace = clusterNamespace(cluster);
  const metadata = { name: agentAccount, namespace };
  const rbac = "rbac.authorization.k8s.io";
  return [
    {
      step: "namespace",
      document: {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace, labels: { [clusterLabel]: cluster } },
      },
    },
    { step: "account", document: { apiVersion: "v1", kind: "ServiceAccount", metadata } },
    {
      step: "role",
      document: {
        apiVersion: `${rbac}/v1`,
        kind: "Role",
        metadata,
        rules: [
          {
            apiGroups: [fleetGroup],
            resources: ["managedinstances"],
            verbs: ["get", "list", "watch"],
          },
        ],
      },
    },
    {
      step: "binding",
      document: {
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup: rbac, kind: "Role", name: agentAccount },
        subjects: [{ kind: "ServiceAccount", name: agentAccount, namespace }],
      },
    },
  ];
}

/** On the namespace of a cluster, and on what its agent applies. */
export const clusterLabel = "fleet.setpoint.dev/cluster";
