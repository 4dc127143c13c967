// Roles, what they allow, and to whom they are bound.

import { always, atomic, message, of, optional, required, string } from "./message.ts";
import { labelSelector, objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.rbac.v1";

export const policyRule = message(`${prefix}.PolicyRule`, "Something that is allowed.", {
  verbs: [1, required(atomic(string)), "The verbs allowed; * is all."],
  apiGroups: [2, atomic(string), "Groups of the resources; * is all."],
  resources: [3, atomic(string), "The resources, as in widgets or widgets/status; * is all."],
  resourceNames: [4, atomic(string), "Names the rule is limited to; empty is every name."],
  nonResourceURLs: [5, atomic(string), "Paths the rule is about; * may stand for their end."],
});

export const aggregationRule = message(
  `${prefix}.AggregationRule`,
  "How a cluster role is put together from others.",
  {
    clusterRoleSelectors: [
      1,
      atomic(of(labelSelector)),
      "Labels of the cluster roles whose rules are joined.",
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
  "Who is granted something.",
  {
    kind: [1, required(string), "User, Group or ServiceAccount."],
    apiGroup: [2, string, "Group of the subject; empty for service accounts."],
    name: [3, required(string), "Name of the subject."],
    namespace: [4, string, "Namespace of a service account."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const role = message(`${prefix}.Role`, "What is allowed in one namespace.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  rules: [2, always(atomic(of(policyRule))), "What is allowed."],
});

export const roleBinding = message(`${prefix}.RoleBinding`, "Grants a role within one namespace.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  subjects: [2, atomic(of(subject)), "Who is granted the role."],
  roleRef: [3, required(of(roleRef)), "The role granted; never changes."],
});

export const clusterRole = message(
  `${prefix}.ClusterRole`,
  "What is allowed in every namespace and cluster-wide.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    rules: [2, always(atomic(of(policyRule))), "What is allowed."],
    aggregationRule: [
      3,
      optional(of(aggregationRule)),
      "Fills the rules from other cluster roles.",
    ],
  },
);

export const clusterRoleBinding = message(
  `${prefix}.ClusterRoleBinding`,
  "Grants a cluster role everywhere.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    subjects: [2, atomic(of(subject)), "Who is granted the role."],
    roleRef: [3, required(of(roleRef)), "The role granted; never changes."],
  },
);
