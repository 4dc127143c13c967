// Policies in CEL that are evaluated before something is admitted, and their bindings.

import {
  atomic,
  int64,
  keyedBy,
  mergedBy,
  message,
  of,
  optional,
  required,
  setOf,
  string,
} from "./message.ts";
import { condition, labelSelector, objectMeta } from "./types-meta.ts";
import { matchCondition, ruleWithOperations } from "./types-webhooks.ts";

const prefix = "io.k8s.api.admissionregistration.v1";

export const namedRuleWithOperations = message(
  `${prefix}.NamedRuleWithOperations`,
  "Which operations on which resources of which names.",
  {
    resourceNames: [1, atomic(string), "Names the rule is limited to; empty is every name."],
    ruleWithOperations: [2, of(ruleWithOperations), "Operations and resources.", "inline"],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const matchResources = message(
  `${prefix}.MatchResources`,
  "Which requests a policy is about.",
  {
    namespaceSelector: [
      1,
      optional(of(labelSelector)),
      "Labels a namespace must have for its objects to match.",
    ],
    objectSelector: [2, optional(of(labelSelector)), "Labels an object must have to match."],
    resourceRules: [3, atomic(of(namedRuleWithOperations)), "Operations and resources that match."],
    excludeResourceRules: [
      4,
      atomic(of(namedRuleWithOperations)),
      "Operations and resources that never match.",
    ],
    matchPolicy: [
      7,
      optional(string),
      "Exact or Equivalent: whether other versions of a rule's resources match.",
    ],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const paramKind = message(
  `${prefix}.ParamKind`,
  "The kind of a policy's parameters.",
  {
    apiVersion: [1, string, "Group and version of the parameters."],
    kind: [2, string, "Kind of the parameters."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const paramRef = message(
  `${prefix}.ParamRef`,
  "Which objects are the parameters.",
  {
    name: [1, string, "Name of the one parameter object."],
    namespace: [2, string, "Where to look for parameters."],
    selector: [3, optional(of(labelSelector)), "Labels of the parameter objects."],
    parameterNotFoundAction: [4, optional(string), "Allow or Deny, when there are no parameters."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const validation = message(`${prefix}.Validation`, "A check in CEL.", {
  expression: [1, required(string), "The CEL expression that must be true."],
  message: [2, string, "What is said when the check fails."],
  reason: [3, optional(string), "The reason of the refusal."],
  messageExpression: [4, string, "A CEL expression that gives the message."],
});

export const auditAnnotation = message(`${prefix}.AuditAnnotation`, "A note for the audit log.", {
  key: [1, required(string), "End of the annotation's key."],
  valueExpression: [2, required(string), "A CEL expression that gives the value."],
});

export const variable = message(
  `${prefix}.Variable`,
  "A named CEL expression.",
  {
    name: [1, required(string), "The name, used as variables.name."],
    expression: [2, required(string), "The CEL expression of its value."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const expressionWarning = message(
  `${prefix}.ExpressionWarning`,
  "A problem found in an expression.",
  {
    fieldRef: [2, required(string), "Path of the expression."],
    warning: [3, required(string), "What the type check found."],
  },
);

export const typeChecking = message(`${prefix}.TypeChecking`, "What checking the types found.", {
  expressionWarnings: [1, atomic(of(expressionWarning)), "The problems."],
});

export const validatingAdmissionPolicySpec = message(
  `${prefix}.ValidatingAdmissionPolicySpec`,
  "What a policy checks.",
  {
    paramKind: [1, optional(of(paramKind)), "The kind of the parameters, if there are any."],
    matchConstraints: [2, optional(of(matchResources)), "Which requests the policy is about."],
    validations: [3, atomic(of(validation)), "The checks."],
    failurePolicy: [
      4,
      optional(string),
      "Ignore or Fail: what an error of the check itself leads to.",
    ],
    auditAnnotations: [5, atomic(of(auditAnnotation)), "Notes for the audit log."],
    matchConditions: [
      6,
      mergedBy("name", of(matchCondition)),
      "CEL expressions that must all be true for the check to run.",
    ],
    variables: [7, mergedBy("name", of(variable)), "Expressions that others may use by name."],
  },
);

export const validatingAdmissionPolicyStatus = message(
  `${prefix}.ValidatingAdmissionPolicyStatus`,
  "What is known of a policy.",
  {
    observedGeneration: [1, int64, "Generation of the object that was observed."],
    typeChecking: [2, optional(of(typeChecking)), "What checking the types found."],
    conditions: [3, keyedBy("type", of(condition)), "The latest observations."],
  },
);

export const validatingAdmissionPolicy = message(
  `${prefix}.ValidatingAdmissionPolicy`,
  "Checks in CEL on what is admitted.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(validatingAdmissionPolicySpec), "What the policy checks."],
    status: [3, of(validatingAdmissionPolicyStatus), "What is known of the policy."],
  },
);

export const validatingAdmissionPolicyBindingSpec = message(
  `${prefix}.ValidatingAdmissionPolicyBindingSpec`,
  "Where a policy applies.",
  {
    policyName: [1, string, "The policy bound."],
    paramRef: [2, optional(of(paramRef)), "The parameters for this binding."],
    matchResources: [3, optional(of(matchResources)), "Narrows the requests the policy is about."],
    validationActions: [4, setOf(string), "Deny, Warn or Audit: what a failed check leads to."],
  },
);

export const validatingAdmissionPolicyBinding = message(
  `${prefix}.ValidatingAdmissionPolicyBinding`,
  "Puts a policy to work.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(validatingAdmissionPolicyBindingSpec), "Where the policy applies."],
  },
);
