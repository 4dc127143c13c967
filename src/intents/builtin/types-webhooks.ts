// Webhooks that are asked before something is admitted.

import {
  atomic,
  bytes,
  int32,
  mergedBy,
  message,
  of,
  optional,
  required,
  string,
} from "./message.ts";
import { labelSelector, objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.admissionregistration.v1";

export const rule = message(`${prefix}.Rule`, "Which resources a rule is about.", {
  apiGroups: [1, atomic(string), "Groups of the resources; * is all."],
  apiVersions: [2, atomic(string), "Versions of the resources; * is all."],
  resources: [3, atomic(string), "The resources, as in widgets or widgets/status; * is all."],
  scope: [4, optional(string), "Cluster, Namespaced or *."],
});

export const ruleWithOperations = message(
  `${prefix}.RuleWithOperations`,
  "Which operations on which resources.",
  {
    operations: [1, atomic(string), "CREATE, UPDATE, DELETE, CONNECT or *."],
    rule: [2, of(rule), "The resources.", "inline"],
  },
);

export const serviceReference = message(`${prefix}.ServiceReference`, "A service to call.", {
  namespace: [1, required(string), "Namespace of the service."],
  name: [2, required(string), "Name of the service."],
  path: [3, optional(string), "Path of the URL."],
  port: [4, optional(int32), "Port of the service; 443 unless given."],
});

export const webhookClientConfig = message(
  `${prefix}.WebhookClientConfig`,
  "How to reach a webhook.",
  {
    url: [3, optional(string), "Where to call, as scheme://host:port/path."],
    service: [1, optional(of(serviceReference)), "The service to call, or else a URL."],
    caBundle: [2, bytes, "PEM certificates that the server's certificate must lead to."],
  },
);

export const matchCondition = message(
  `${prefix}.MatchCondition`,
  "A CEL expression that decides whether a check runs.",
  {
    name: [1, required(string), "Name of the condition."],
    expression: [2, required(string), "A CEL expression."],
  },
);

export const mutatingWebhook = message(
  `${prefix}.MutatingWebhook`,
  "A webhook that may change what is admitted.",
  {
    name: [1, required(string), "A qualified name, as check.example.com."],
    clientConfig: [2, required(of(webhookClientConfig)), "How to reach the webhook."],
    rules: [3, atomic(of(ruleWithOperations)), "What the webhook is asked about."],
    failurePolicy: [
      4,
      optional(string),
      "Ignore or Fail: what an error of the check itself leads to.",
    ],
    matchPolicy: [
      9,
      optional(string),
      "Exact or Equivalent: whether other versions of a rule's resources match.",
    ],
    namespaceSelector: [
      5,
      optional(of(labelSelector)),
      "Labels a namespace must have for its objects to match.",
    ],
    objectSelector: [11, optional(of(labelSelector)), "Labels an object must have to match."],
    sideEffects: [6, required(optional(string)), "None or NoneOnDryRun."],
    timeoutSeconds: [7, optional(int32), "Seconds to wait for the answer, from 1 to 30."],
    admissionReviewVersions: [
      8,
      required(atomic(string)),
      "Versions of AdmissionReview that it understands, best first.",
    ],
    reinvocationPolicy: [
      10,
      optional(string),
      "Never or IfNeeded: whether it is asked again after other changes.",
    ],
    matchConditions: [
      12,
      mergedBy("name", of(matchCondition)),
      "CEL expressions that must all be true for the check to run.",
    ],
  },
);

export const mutatingWebhookConfiguration = message(
  `${prefix}.MutatingWebhookConfiguration`,
  "Webhooks that may change what is admitted.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    webhooks: [2, mergedBy("name", of(mutatingWebhook)), "The webhooks."],
  },
);

export const validatingWebhook = message(
  `${prefix}.ValidatingWebhook`,
  "A webhook that may refuse what is admitted.",
  {
    name: [1, required(string), "A qualified name, as check.example.com."],
    clientConfig: [2, required(of(webhookClientConfig)), "How to reach the webhook."],
    rules: [3, atomic(of(ruleWithOperations)), "What the webhook is asked about."],
    failurePolicy: [
      4,
      optional(string),
      "Ignore or Fail: what an error of the check itself leads to.",
    ],
    matchPolicy: [
      9,
      optional(string),
      "Exact or Equivalent: whether other versions of a rule's resources match.",
    ],
    namespaceSelector: [
      5,
      optional(of(labelSelector)),
      "Labels a namespace must have for its objects to match.",
    ],
    objectSelector: [10, optional(of(labelSelector)), "Labels an object must have to match."],
    sideEffects: [6, required(optional(string)), "None or NoneOnDryRun."],
    timeoutSeconds: [7, optional(int32), "Seconds to wait for the answer, from 1 to 30."],
    admissionReviewVersions: [
      8,
      required(atomic(string)),
      "Versions of AdmissionReview that it understands, best first.",
    ],
    matchConditions: [
      11,
      mergedBy("name", of(matchCondition)),
      "CEL expressions that must all be true for the check to run.",
    ],
  },
);

export const validatingWebhookConfiguration = message(
  `${prefix}.ValidatingWebhookConfiguration`,
  "Webhooks that may refuse what is admitted.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    webhooks: [2, mergedBy("name", of(validatingWebhook)), "The webhooks."],
  },
);
