// Roles, what they allow, and to whom they are bound.

import { always, atomic, message, of, optional, required, string } from "./message.ts";
import { labelSelector, objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.rbac.v1";

export const policyRule = message(`${prefix}.PolicyRule`, "A permission.", {
  verbs: [1, required(atomic(string)), "The allowed verbs; * means all."],
  apiGroups: [2, atomic(string), "API groups of the resources; * means all."],
  resources: [3, atomic(string), "Resources, such as widgets or widgets/status; * means all."],
  resourceNames: [
    4,
    atomic(string),
    "Names of resources that the rule is limited to; empty means all.",
  ],
  nonResourceURLs: [5, atomic(string), "URL paths of the rule; * is allowed as the last segment."],
});

export const aggregationRule = message(
  `${prefix}.AggregationRule`,
  "How a cluster role is aggregated from others.",
  {
    clusterRoleSelectors: [
      1,
      atomic(of(labelSelector)),
      "Labels of the cluster roles to aggregate.",
    ],
  },
);

export const roleRef = message(
  `${prefix}.RoleRef`,
  "The role that a binding grants.",
  {
    apiGroup: [1, required(string), "Group of the role."],
    kind: [2, required(string), "Role or ClusterRole."],
    name: [3, required(string), "Name of the role."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const subject = message(
  `${prefix}.Subject`,
  "A user, group or service account.",
  {
    kind: [1, required(string), "User, Group or ServiceAccount."],
    apiGroup: [2, string, "Group of the subject; empty for service accounts."],
    name: [3, required(string), "Name of the subject."],
    namespace: [4, string, "Namespace of a service account."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const role = message(`${prefix}.Role`, "Permissions in one namespace.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  rules: [2, always(atomic(of(policyRule))), "Permissions of the role."],
});

export const roleBinding = message(`${prefix}.RoleBinding`, "Grants a role in one namespace.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  subjects: [2, atomic(of(subject)), "Users, groups and service accounts that get the role."],
  roleRef: [3, required(of(roleRef)), "The granted role; immutable."],
});

export const clusterRole = message(
  `${prefix}.ClusterRole`,
  "Permissions in all namespaces and for cluster-scoped resources.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    rules: [2, always(atomic(of(policyRule))), "Permissions of the role."],
    aggregationRule: [
      3,
      optional(of(aggregationRule)),
      "Aggregates the rules from other cluster roles.",
    ],
  },
);

export const clusterRoleBinding = message(
  `${prefix}.ClusterRoleBinding`,
  "Grants a cluster role in all namespaces.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    subjects: [2, atomic(of(subject)), "Users, groups and service accounts that get the role."],
    roleRef: [3, required(of(roleRef)), "The granted role; immutable."],
  },
);
