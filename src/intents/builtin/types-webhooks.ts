// Webhooks that are asked before something is admitted.

import { atomic, int32, mergedBy, message, of, optional, required, string } from "./message.ts";
import type { FieldInput } from "./message.ts";
import { labelSelector, objectMeta } from "./types-meta.ts";
import { clientConfigTypes } from "./types-webhook-client.ts";

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
  "A webhook that may change what is admitted.",
  {
    ...commonFields(11),
    reinvocationPolicy: [
      10,
      optional(string),
      "Never or IfNeeded: whether it is asked again after other changes.",
    ],
    matchConditions: [12, mergedBy("name", of(matchCondition)), conditionsText],
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
    ...commonFields(10),
    matchConditions: [11, mergedBy("name", of(matchCondition)), conditionsText],
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

/** What both kinds of webhooks have; one field has a number of its own in each. */
function commonFields(objectSelectorNumber: number): Readonly<Record<string, FieldInput>> {
  return {
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
    objectSelector: [
      objectSelectorNumber,
      optional(of(labelSelector)),
      "Labels an object must have to match.",
    ],
    sideEffects: [6, required(optional(string)), "None or NoneOnDryRun."],
    timeoutSeconds: [7, optional(int32), "Seconds to wait for the answer, from 1 to 30."],
    admissionReviewVersions: [
      8,
      required(atomic(string)),
      "Versions of AdmissionReview that it understands, best first.",
    ],
  };
}
