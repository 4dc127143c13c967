// Webhooks that are asked before something is admitted.

import { atomic, int32, mergedBy, message, of, optional, required, string } from "./message.ts";
import type { FieldInput } from "./message.ts";
import { labelSelector, objectMeta } from "./types-meta.ts";
import { clientConfigTypes } from "./types-webhook-client.ts";

const prefix = "io.k8s.api.admissionregistration.v1";

export const rule = message(`${prefix}.Rule`, "Resources that a rule matches.", {
  apiGroups: [1, atomic(string), "API groups of the resources; * means all."],
  apiVersions: [2, atomic(string), "Versions of the resources; * is all."],
  resources: [3, atomic(string), "Resources, such as widgets or widgets/status; * means all."],
  scope: [4, optional(string), "Cluster, Namespaced or *."],
});

export const ruleWithOperations = message(
  `${prefix}.RuleWithOperations`,
  "Operations and resources that match.",
  {
    operations: [1, atomic(string), "CREATE, UPDATE, DELETE, CONNECT or *."],
    rule: [2, of(rule), "The resources.", "inline"],
  },
);

const { webhookClientConfig } = clientConfigTypes(prefix);

export const matchCondition = message(
  `${prefix}.MatchCondition`,
  "A CEL expression that decides whether a check runs.",
  {
    name: [1, required(string), "Name of the condition."],
    expression: [2, required(string), "A CEL expression."],
  },
);

const conditionsText = "CEL expressions that must all be true for the check to run.";

export const mutatingWebhook = message(
  `${prefix}.MutatingWebhook`,
  "A webhook that can change admitted objects.",
  {
    ...commonFields(11),
    reinvocationPolicy: [
      10,
      optional(string),
      "Never or IfNeeded: whether it is called again after other changes.",
    ],
    matchConditions: [12, mergedBy("name", of(matchCondition)), conditionsText],
  },
);

export const mutatingWebhookConfiguration = message(
  `${prefix}.MutatingWebhookConfiguration`,
  "Webhooks that can change admitted objects.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    webhooks: [2, mergedBy("name", of(mutatingWebhook)), "The webhooks."],
  },
);

export const validatingWebhook = message(
  `${prefix}.ValidatingWebhook`,
  "A webhook that can refuse requests.",
  {
    ...commonFields(10),
    matchConditions: [11, mergedBy("name", of(matchCondition)), conditionsText],
  },
);

export const validatingWebhookConfiguration = message(
  `${prefix}.ValidatingWebhookConfiguration`,
  "Webhooks that can refuse requests.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    webhooks: [2, mergedBy("name", of(validatingWebhook)), "The webhooks."],
  },
);

/** What both kinds of webhooks have; one field has a number of its own in each. */
function commonFields(objectSelectorNumber: number): Readonly<Record<string, FieldInput>> {
  return {
    name: [1, required(string), "Qualified name, such as check.example.com."],
    clientConfig: [2, required(of(webhookClientConfig)), "How to reach the webhook."],
    rules: [3, atomic(of(ruleWithOperations)), "Requests that the webhook is called for."],
    failurePolicy: [
      4,
      optional(string),
      "How errors of the check itself are handled: Ignore or Fail.",
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
    objectSelector: [
      objectSelectorNumber,
      optional(of(labelSelector)),
      "Labels an object must have to match.",
    ],
    sideEffects: [6, required(optional(string)), "None or NoneOnDryRun."],
    timeoutSeconds: [7, optional(int32), "Timeout of a call in seconds, from 1 to 30."],
    admissionReviewVersions: [
      8,
      required(atomic(string)),
      "Supported versions of AdmissionReview, in order of preference.",
    ],
  };
}
