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
  "Operations, resources and names that match.",
  {
    resourceNames: [
      1,
      atomic(string),
      "Names of resources that the rule is limited to; empty means all.",
    ],
    ruleWithOperations: [2, of(ruleWithOperations), "Operations and resources.", "inline"],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const matchResources = message(
  `${prefix}.MatchResources`,
  "Requests that a policy matches.",
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
  "Objects that are the parameters.",
  {
    name: [1, string, "Name of the one parameter object."],
    namespace: [2, string, "Namespace of the parameters."],
    selector: [3, optional(of(labelSelector)), "Labels of the parameter objects."],
    parameterNotFoundAction: [4, optional(string), "Allow or Deny, when there are no parameters."],
  },
  { "x-kubernetes-map-type": "atomic" },
);

export const validation = message(`${prefix}.Validation`, "A check in CEL.", {
  expression: [1, required(string), "The CEL expression that must be true."],
  message: [2, string, "Error message if the check fails."],
  reason: [3, optional(string), "Machine-readable reason of the refusal."],
  messageExpression: [4, string, "CEL expression that returns the error message."],
});

export const auditAnnotation = message(`${prefix}.AuditAnnotation`, "An audit annotation.", {
  key: [1, required(string), "Last part of the annotation key."],
  valueExpression: [2, required(string), "CEL expression that returns the value."],
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
    warning: [3, required(string), "Warning of the type check."],
  },
);

export const typeChecking = message(`${prefix}.TypeChecking`, "Results of the type check.", {
  expressionWarnings: [1, atomic(of(expressionWarning)), "The problems."],
});

export const validatingAdmissionPolicySpec = message(
  `${prefix}.ValidatingAdmissionPolicySpec`,
  "Specification of a policy.",
  {
    paramKind: [1, optional(of(paramKind)), "The kind of the parameters, if there are any."],
    matchConstraints: [2, optional(of(matchResources)), "Requests that the policy matches."],
    validations: [3, atomic(of(validation)), "The checks."],
    failurePolicy: [
      4,
      optional(string),
      "How errors of the check itself are handled: Ignore or Fail.",
    ],
    auditAnnotations: [5, atomic(of(auditAnnotation)), "Audit annotations."],
    matchConditions: [
      6,
      mergedBy("name", of(matchCondition)),
      "CEL expressions that must all be true for the check to run.",
    ],
    variables: [
      7,
      mergedBy("name", of(variable)),
      "Named expressions for use in other expressions.",
    ],
  },
);

export const validatingAdmissionPolicyStatus = message(
  `${prefix}.ValidatingAdmissionPolicyStatus`,
  "Observed state of a policy.",
  {
    observedGeneration: [1, int64, "Generation of the object that was observed."],
    typeChecking: [2, optional(of(typeChecking)), "Results of the type check."],
    conditions: [3, keyedBy("type", of(condition)), "Current conditions."],
  },
);

export const validatingAdmissionPolicy = message(
  `${prefix}.ValidatingAdmissionPolicy`,
  "CEL checks of requests during admission.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(validatingAdmissionPolicySpec), "Specification of the policy."],
    status: [3, of(validatingAdmissionPolicyStatus), "Observed state of the policy."],
  },
);

export const validatingAdmissionPolicyBindingSpec = message(
  `${prefix}.ValidatingAdmissionPolicyBindingSpec`,
  "Scope of a policy.",
  {
    policyName: [1, string, "Name of the policy."],
    paramRef: [2, optional(of(paramRef)), "The parameters for this binding."],
    matchResources: [
      3,
      optional(of(matchResources)),
      "Limits the requests that the policy matches.",
    ],
    validationActions: [4, setOf(string), "How a failed check is handled: Deny, Warn or Audit."],
  },
);

export const validatingAdmissionPolicyBinding = message(
  `${prefix}.ValidatingAdmissionPolicyBinding`,
  "Activates a policy.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, of(validatingAdmissionPolicyBindingSpec), "Scope of the policy."],
  },
);
