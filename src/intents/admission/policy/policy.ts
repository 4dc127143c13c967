// A ValidatingAdmissionPolicy, compiled: what it is about, its variables, and what must hold. It
// was checked when it was written, so an expression that does not compile here comes from another
// version of the server; it counts as one that fails.

import type { Json } from "../../../kernel/json.ts";
import { listAt, objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { boolType, dynType, nullType, stringType } from "../../../kernel/cel/types.ts";
import type { CelType } from "../../../kernel/cel/types.ts";
import { compileConditions } from "../expression/conditions.ts";
import type { Conditions } from "../expression/conditions.ts";
import { admissionExpression, laterExpression } from "../expression/expression.ts";
import type { AdmissionExpression } from "../expression/expression.ts";
import type { VariableChoice } from "../expression/variables.ts";
import { matchResourcesOf } from "./match-resources.ts";
import type { MatchResources } from "./match-resources.ts";

export interface Policy {
  readonly name: string;
  readonly match: MatchResources;
  /** Undefined when the policy has no parameters. */
  readonly paramKind: ParamKind | undefined;
  readonly isIgnoredOnFailure: boolean;
  /** Compiled when a request first concerns the policy; yields after each variable. */
  readonly checks: () => Sliced<PolicyChecks>;
}

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface PolicyChecks {
  readonly conditions: Conditions | undefined;
  readonly variables: readonly PolicyVariable[];
  readonly validations: readonly Validation[];
  readonly annotations: readonly AuditAnnotation[];
}

export interface PolicyVariable {
  readonly name: string;
  readonly expression: AdmissionExpression;
}

export interface Validation {
  readonly expression: AdmissionExpression;
  readonly message: string;
  readonly messageExpression: AdmissionExpression | undefined;
  readonly reason: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly expression: AdmissionExpression;
}

export const messageTypes: readonly CelType[] = [stringType];
export const annotationTypes: readonly CelType[] = [stringType, nullType];

export function policyOf(policy: Resource): Policy {
  const spec = objectAt(policy, "spec");
  const isIgnoredOnFailure = textAt(spec, "failurePolicy") === "Ignore";
  let checks: PolicyChecks | undefined;
  return {
    name: policy.metadata.name,
    match: matchResourcesOf(objectAt(spec, "matchConstraints")),
    paramKind:
      valueAt(spec, "paramKind") === undefined
        ? undefined
        : {
            apiVersion: textAt(spec, "paramKind", "apiVersion"),
            kind: textAt(spec, "paramKind", "kind"),
          },
    isIgnoredOnFailure,
    *checks() {
      checks ??= yield* compileChecks(spec, isIgnoredOnFailure);
      return checks;
    },
  };
}

function* compileChecks(spec: Json, isIgnoredOnFailure: boolean): Sliced<PolicyChecks> {
  const hasParams = valueAt(spec, "paramKind") !== undefined;
  const { variables, types } = yield* compileVariables(spec, hasParams);
  const choice: VariableChoice = { hasParams, hasAuthorizer: true, own: types };
  const messages: VariableChoice = { hasParams, hasAuthorizer: false, own: types };
  return {
    conditions: compileConditions(listAt(spec, "matchConditions"), {
      hasParams,
      isIgnoredOnFailure,
    }),
    variables,
    validations: listAt(spec, "validations").map((validation) => {
      const message = textAt(validation, "messageExpression");
      return {
        expression: laterExpression(textAt(validation, "expression"), choice, [boolType]),
        message: textAt(validation, "message"),
        messageExpression:
          message === "" ? undefined : laterExpression(message, messages, messageTypes),
        reason: textAt(validation, "reason"),
      };
    }),
    annotations: listAt(spec, "auditAnnotations").map((annotation) => ({
      key: textAt(annotation, "key"),
      expression: laterExpression(textAt(annotation, "valueExpression"), choice, annotationTypes),
    })),
  };
}

interface CompiledVariables {
  readonly variables: readonly PolicyVariable[];
  readonly types: ReadonlyMap<string, CelType>;
}

/** Each variable may use those before it. */
function* compileVariables(spec: Json, hasParams: boolean): Sliced<CompiledVariables> {
  const types = new Map<string, CelType>();
  const variables: PolicyVariable[] = [];
  // The expression is compiled at once, so it sees the types as they are then.
  const choice = { hasParams, hasAuthorizer: true, own: types };
  for (const variable of listAt(spec, "variables")) {
    const name = textAt(variable, "name");
    const expression = admissionExpression(textAt(variable, "expression"), choice);
    types.set(name, variableType(expression.program?.type));
    variables.push({ name, expression });
    yield;
  }
  return { variables, types };
}

/** Of the types of variables only the simple ones, lists and maps are known to later ones. */
export function variableType(type: CelType | undefined): CelType {
  if (type === undefined) return dynType;
  switch (type.kind) {
    case "list":
    case "map":
      return { ...type, params: type.params.map(variableType) };
    case "struct":
    case "opaque":
    case "type":
    case "param":
    case "error":
      return dynType;
    default:
      return type;
  }
}
