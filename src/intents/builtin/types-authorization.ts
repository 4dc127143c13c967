// Questions about what somebody may do. They are answered and never stored.

import { atomic, bool, mapOf, message, of, optional, required, string, texts } from "./message.ts";
import type { FieldInput } from "./message.ts";
import { fieldSelectorRequirement, labelSelectorRequirement, objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.authorization.v1";

export const fieldSelectorAttributes = message(
  `${prefix}.FieldSelectorAttributes`,
  "Limits access by field values.",
  {
    rawSelector: [1, string, "The selector as a string."],
    requirements: [2, atomic(of(fieldSelectorRequirement)), "The selector, parsed."],
  },
);

export const labelSelectorAttributes = message(
  `${prefix}.LabelSelectorAttributes`,
  "Limits access by labels.",
  {
    rawSelector: [1, string, "The selector as a string."],
    requirements: [2, atomic(of(labelSelectorRequirement)), "The selector, parsed."],
  },
);

export const resourceAttributes = message(`${prefix}.ResourceAttributes`, "Access to a resource.", {
  namespace: [1, string, "The namespace; empty means all."],
  verb: [2, string, "The verb; * means all."],
  group: [3, string, "The API group; * means all."],
  version: [4, string, "The API version; * means all."],
  resource: [5, string, "The resource; * means all."],
  subresource: [6, string, "The subresource, if any."],
  name: [7, string, "The name; empty means all."],
  fieldSelector: [8, optional(of(fieldSelectorAttributes)), "Limits on fields."],
  labelSelector: [9, optional(of(labelSelectorAttributes)), "Limits on labels."],
});

export const nonResourceAttributes = message(
  `${prefix}.NonResourceAttributes`,
  "Access to a URL path.",
  {
    path: [1, string, "Path of the URL."],
    verb: [2, string, "The verb."],
  },
);

const accessFields: Readonly<Record<string, FieldInput>> = {
  resourceAttributes: [1, optional(of(resourceAttributes)), "Access to a resource to check."],
  nonResourceAttributes: [2, optional(of(nonResourceAttributes)), "Access to a URL path to check."],
};

export const subjectAccessReviewSpec = message(
  `${prefix}.SubjectAccessReviewSpec`,
  "Access by a user or group.",
  {
    ...accessFields,
    user: [3, string, "Name of the user."],
    groups: [4, atomic(string), "Groups of the user."],
    extra: [5, mapOf(texts), "Additional attributes of the user."],
    uid: [6, string, "UID of the user."],
  },
);

export const subjectAccessReviewStatus = message(
  `${prefix}.SubjectAccessReviewStatus`,
  "Whether access is allowed.",
  {
    allowed: [1, required(bool), "Whether access is allowed."],
    denied: [4, bool, "Whether access is denied, regardless of other authorizers."],
    reason: [2, string, "Why."],
    evaluationError: [3, string, "Error of the evaluation."],
  },
);

export const subjectAccessReview = message(
  `${prefix}.SubjectAccessReview`,
  "Checks whether a user or group can perform an action.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(subjectAccessReviewSpec)), "The access to check."],
    status: [3, of(subjectAccessReviewStatus), "The decision."],
  },
);

export const localSubjectAccessReview = message(
  `${prefix}.LocalSubjectAccessReview`,
  "Checks whether a user or group can perform an action in one namespace.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(subjectAccessReviewSpec)), "The access to check."],
    status: [3, of(subjectAccessReviewStatus), "The decision."],
  },
);

export const selfSubjectAccessReviewSpec = message(
  `${prefix}.SelfSubjectAccessReviewSpec`,
  "Access by the current user.",
  {
    ...accessFields,
  },
);

export const selfSubjectAccessReview = message(
  `${prefix}.SelfSubjectAccessReview`,
  "Checks whether the current user can perform an action.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(selfSubjectAccessReviewSpec)), "The access to check."],
    status: [3, of(subjectAccessReviewStatus), "The decision."],
  },
);

export const resourceRule = message(`${prefix}.ResourceRule`, "Actions allowed on resources.", {
  verbs: [1, required(atomic(string)), "The allowed verbs; * means all."],
  apiGroups: [2, atomic(string), "API groups of the resources; * means all."],
  resources: [3, atomic(string), "Resources, such as widgets or widgets/status; * means all."],
  resourceNames: [
    4,
    atomic(string),
    "Names of resources that the rule is limited to; empty means all.",
  ],
});

export const nonResourceRule = message(
  `${prefix}.NonResourceRule`,
  "Actions allowed on URL paths.",
  {
    verbs: [1, required(atomic(string)), "The allowed verbs; * means all."],
    nonResourceURLs: [
      2,
      atomic(string),
      "URL paths of the rule; * is allowed as the last segment.",
    ],
  },
);

export const selfSubjectRulesReviewSpec = message(
  `${prefix}.SelfSubjectRulesReviewSpec`,
  "The request.",
  {
    namespace: [1, string, "The namespace to check."],
  },
);

export const subjectRulesReviewStatus = message(
  `${prefix}.SubjectRulesReviewStatus`,
  "Actions that a user can perform.",
  {
    resourceRules: [1, required(atomic(of(resourceRule))), "Actions allowed on resources."],
    nonResourceRules: [2, required(atomic(of(nonResourceRule))), "Actions allowed on URL paths."],
    incomplete: [3, required(bool), "Whether the list may be incomplete."],
    evaluationError: [4, string, "Error of the evaluation."],
  },
);

export const selfSubjectRulesReview = message(
  `${prefix}.SelfSubjectRulesReview`,
  "Lists the actions that the current user can perform in a namespace.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(selfSubjectRulesReviewSpec)), "The request."],
    status: [3, of(subjectRulesReviewStatus), "The allowed actions."],
  },
);
