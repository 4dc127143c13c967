/** The order in which objects of one wave are applied: what others need comes first. */
import type { ObjectReference } from "../object-reference.ts";

const first = [
  "Namespace",
  "CustomResourceDefinition",
  "GitOpsPolicy",
  "ResourceQuota",
  "LimitRange",
  "NetworkPolicy",
  "PodDisruptionBudget",
  "PriorityClass",
  "StorageClass",
  "IngressClass",
  "ServiceAccount",
  "Secret",
  "ConfigMap",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicaSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "StatefulSet",
  "Job",
  "CronJob",
  "Ingress",
];
const last = [
  "APIService",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
];
const ranks = new Map([
  ...first.map((kind, index) => [kind, index - first.length] as const),
  ...last.map((kind, index) => [kind, index + 1] as const),
]);

/** Objects of one rank are applied at the same time. Custom kinds: 0. */
export function rankOf({ kind }: Pick<ObjectReference, "kind">): number {
  return ranks.get(kind) ?? 0;
}

export function compareReferences(one: ObjectReference, other: ObjectReference): number {
  return (
    rankOf(one) - rankOf(other) ||
    compareTexts(one.kind, other.kind) ||
    compareTexts(one.group, other.group) ||
    compareTexts(one.namespace, other.namespace) ||
    compareTexts(one.name, other.name)
  );
}

/** By code units, so that the order is the same on each machine. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
