// Questions about what somebody may do. They are answered and never stored.

import { atomic, bool, mapOf, message, of, optional, required, string, texts } from "./message.ts";
import type { FieldInput } from "./message.ts";
import { fieldSelectorRequirement, labelSelectorRequirement, objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.authorization.v1";

export const fieldSelectorAttributes = message(
  `${prefix}.FieldSelectorAttributes`,
  "Limits an access to some fields' values.",
  {
    rawSelector: [1, string, "The selector as text."],
    requirements: [2, atomic(of(fieldSelectorRequirement)), "The selector, parsed."],
  },
);

export const labelSelectorAttributes = message(
  `${prefix}.LabelSelectorAttributes`,
  "Limits an access to some labels.",
  {
    rawSelector: [1, string, "The selector as text."],
    requirements: [2, atomic(of(labelSelectorRequirement)), "The selector, parsed."],
  },
);

export const resourceAttributes = message(
  `${prefix}.ResourceAttributes`,
  "An access to a resource.",
  {
    namespace: [1, string, "The namespace; empty is every one."],
    verb: [2, string, "The verb; * is all."],
    group: [3, string, "The group; * is all."],
    version: [4, string, "The version; * is all."],
    resource: [5, string, "The resource; * is all."],
    subresource: [6, string, "The subresource, if any."],
    name: [7, string, "The name; empty is every one."],
    fieldSelector: [8, optional(of(fieldSelectorAttributes)), "Limits on fields."],
    labelSelector: [9, optional(of(labelSelectorAttributes)), "Limits on labels."],
  },
);

export const nonResourceAttributes = message(
  `${prefix}.NonResourceAttributes`,
  "An access to a path.",
  {
    path: [1, string, "Path of the URL."],
    verb: [2, string, "The verb."],
  },
);

const accessFields: Readonly<Record<string, FieldInput>> = {
  resourceAttributes: [
    1,
    optional(of(resourceAttributes)),
    "The access to a resource in question.",
  ],
  nonResourceAttributes: [
    2,
    optional(of(nonResourceAttributes)),
    "The access to a path in question.",
  ],
};

export const subjectAccessReviewSpec = message(
  `${prefix}.SubjectAccessReviewSpec`,
  "An access by somebody.",
  {
    ...accessFields,
    user: [3, string, "Name of the user."],
    groups: [4, atomic(string), "Groups of the user."],
    extra: [5, mapOf(texts), "Further facts about the user."],
    uid: [6, string, "Identity of the user."],
  },
);

export const subjectAccessReviewStatus = message(
  `${prefix}.SubjectAccessReviewStatus`,
  "Whether an access is allowed.",
  {
    allowed: [1, required(bool), "Whether it is allowed."],
    denied: [4, bool, "Whether it is denied for good."],
    reason: [2, string, "Why."],
    evaluationError: [3, string, "What went wrong on the way to the decision."],
  },
);

export const subjectAccessReview = message(
  `${prefix}.SubjectAccessReview`,
  "Asks whether somebody may do something.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(subjectAccessReviewSpec)), "The access in question."],
    status: [3, of(subjectAccessReviewStatus), "The answer."],
  },
);

export const localSubjectAccessReview = message(
  `${prefix}.LocalSubjectAccessReview`,
  "Asks whether somebody may do something in one namespace.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(subjectAccessReviewSpec)), "The access in question."],
    status: [3, of(subjectAccessReviewStatus), "The answer."],
  },
);

export const selfSubjectAccessReviewSpec = message(
  `${prefix}.SelfSubjectAccessReviewSpec`,
  "An access by the caller.",
  {
    ...accessFields,
  },
);

export const selfSubjectAccessReview = message(
  `${prefix}.SelfSubjectAccessReview`,
  "Asks whether the caller may do something.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(selfSubjectAccessReviewSpec)), "The access in question."],
    status: [3, of(subjectAccessReviewStatus), "The answer."],
  },
);

export const resourceRule = message(`${prefix}.ResourceRule`, "What is allowed with resources.", {
  verbs: [1, required(atomic(string)), "The verbs allowed; * is all."],
  apiGroups: [2, atomic(string), "Groups of the resources; * is all."],
  resources: [3, atomic(string), "The resources, as in widgets or widgets/status; * is all."],
  resourceNames: [4, atomic(string), "Names the rule is limited to; empty is every name."],
});

export const nonResourceRule = message(`${prefix}.NonResourceRule`, "What is allowed with paths.", {
  verbs: [1, required(atomic(string)), "The verbs allowed; * is all."],
  nonResourceURLs: [2, atomic(string), "Paths the rule is about; * may stand for their end."],
});

export const selfSubjectRulesReviewSpec = message(
  `${prefix}.SelfSubjectRulesReviewSpec`,
  "What is asked.",
  {
    namespace: [1, string, "The namespace asked about."],
  },
);

export const subjectRulesReviewStatus = message(
  `${prefix}.SubjectRulesReviewStatus`,
  "What somebody may do.",
  {
    resourceRules: [1, required(atomic(of(resourceRule))), "What is allowed with resources."],
    nonResourceRules: [2, required(atomic(of(nonResourceRule))), "What is allowed with paths."],
    incomplete: [3, required(bool), "Whether something may be missing."],
    evaluationError: [4, string, "What went wrong on the way to the decision."],
  },
);

export const selfSubjectRulesReview = message(
  `${prefix}.SelfSubjectRulesReview`,
  "Asks what the caller may do in a namespace.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(selfSubjectRulesReviewSpec)), "What is asked."],
    status: [3, of(subjectRulesReviewStatus), "The answer."],
  },
);
