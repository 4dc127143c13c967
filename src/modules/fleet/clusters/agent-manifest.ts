// The objects that run an agent on a Kubernetes cluster: its namespace, its rights, the credential
// for the control plane, and a Deployment. Pure. The token is in the Secret and nowhere else.

import type { JsonObject } from "../../../kernel/json.ts";
import { clusterLabel } from "./cluster-resources.ts";

export interface ManifestSettings {
  readonly cluster: string;
  /** How the agent reaches the control plane. */
  readonly controlPlane: { readonly url: string; readonly caBundle: string | undefined };
  readonly token: string;
  /** On the cluster. */
  readonly namespace: string;
  readonly image: string;
  readonly workload: "Deployment" | "None";
  /** Groups of the kinds that the agent applies. */
  readonly groups: readonly string[];
}

/** In the order in which they are applied. */
export function agentManifest(settings: ManifestSettings): readonly JsonObject[] {
  const { cluster, namespace, workload } = settings;
  const labels = { [clusterLabel]: cluster };
  const name = agentName;
  const own = { name, namespace, labels };
  const shared = { name: `${agentName}-${cluster}`, labels };
  const rbac = "rbac.authorization.k8s.io";
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: own },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: shared,
      rules: rulesFor(settings.groups),
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: shared,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: shared.name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: own,
      type: "Opaque",
      data: credentialOf(settings),
    },
    ...(workload === "Deployment" ? [deployment(settings, labels)] : []),
  ];
}

/** The name of every namespaced object of the manifest. */
export const agentName = "setpoint-agent";

function credentialOf({ token, controlPlane }: ManifestSettings): JsonObject {
  const { caBundle } = controlPlane;
  const encoded = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return {
    token: encoded(token),
    ...(caBundle === undefined ? {} : { "ca.crt": encoded(caBundle) }),
  };
}

function rulesFor(groups: readonly string[]): readonly JsonObject[] {
  const verbs = ["get", "list", "watch", "create", "patch", "delete"];
  return [
    { apiGroups: [""], resources: ["namespaces"], verbs },
    ...(groups.length === 0 ? [] : [{ apiGroups: [...groups].sort(), resources: ["*"], verbs }]),
  ];
}

function deployment(settings: ManifestSettings, labels: JsonObject): JsonObject {
  const { cluster, namespace, image, controlPlane } = settings;
  const folder = "/var/run/setpoint";
  const ca = controlPlane.caBundle === undefined ? [] : [`--ca=${folder}/ca.crt`];
  const container = {
    name: "agent",
    image,
    args: [
      "agent",
      `--control-plane=${controlPlane.url}`,
      `--cluster=${cluster}`,
      `--token-file=${folder}/token`,
      ...ca,
      "--apply-to=in-cluster",
    ],
    volumeMounts: [{ name: "credential", mountPath: folder, readOnly: true }],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
    },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: agentName, namespace, labels },
    spec: {
      // Two agents of one cluster would report for each other.
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: agentName,
          containers: [container],
          volumes: [{ name: "credential", secret: { secretName: agentName } }],
        },
      },
    },
  };
}
