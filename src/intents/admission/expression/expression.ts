// One compiled expression of a webhook or a policy, and its evaluation within a budget that all
// expressions of a policy share. Problems are told in the words of Kubernetes.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { formatType, sameType } from "../../../kernel/cel/types.ts";
import type { CelType } from "../../../kernel/cel/types.ts";
import type { CelValue } from "../../../kernel/cel/values.ts";
import { limits } from "../../../kernel/limits.ts";
import { authorizerFunctions } from "./authorizer.ts";
import type { Bindings } from "./bindings.ts";
import { variableTypes } from "./variables.ts";
import type { VariableChoice } from "./variables.ts";

export interface AdmissionExpression {
  readonly source: string;
  /** Undefined when the expression does not compile. */
  readonly program: Program | undefined;
  readonly problem: string;
}

/** Any type will do when none is named. */
export function admissionExpression(
  source: string,
  choice: VariableChoice,
  types: readonly CelType[] = [],
): AdmissionExpression {
  return typedExpression(source, variableTypes(choice), types);
}

/** The same, compiled when it is first evaluated: a policy may have very many. */
export function laterExpression(
  source: string,
  choice: VariableChoice,
  types: readonly CelType[] = [],
): AdmissionExpression {
  let known: AdmissionExpression | undefined;
  const compiled = (): AdmissionExpression =>
    (known ??= admissionExpression(source, choice, types));
  return {
    source,
    get program() {
      return compiled().program;
    },
    get problem() {
      return compiled().problem;
    },
  };
}

export function typedExpression(
  source: string,
  variables: Readonly<Record<string, CelType>>,
  types: readonly CelType[] = [],
): AdmissionExpression {
  const compiled = compileExpression(source, { variables, functions: authorizerFunctions });
  if (compiled.kind === "failed") return { source, program: undefined, problem: compiled.message };
  const { program } = compiled;
  if (types.length === 0 || types.some((type) => sameType(type, program.type))) {
    return { source, program, problem: "" };
  }
  const [first] = types;
  const wanted =
    types.length === 1 && first !== undefined
      ? typeText(first)
      : `one of [${types.map(typeText).join(" ")}]`;
  const problem = `must evaluate to ${wanted} but got ${typeText(program.type)}`;
  return { source, program: undefined, problem };
}

function typeText(type: CelType): string {
  return type.kind === "null" ? "null_type" : formatType(type);
}

/** What is left for the expressions still to come; nothing runs once it is used up. */
export interface Budget {
  remaining: number;
  /** What variables cost since the last evaluation. */
  spent: number;
}

export function newBudget(units: number): Budget {
  return { remaining: units, spent: 0 };
}

export type ExpressionResult =
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "error"; readonly message: string };

/** Thrown when the budget is used up, which ends everything that shares it. */
export class OutOfBudget extends Error {
  constructor() {
    super(
      "validation failed due to running out of cost budget, " +
        "no further validation rules will be run",
    );
  }
}

export function evaluate(
  expression: AdmissionExpression,
  bindings: Bindings,
  budget: Budget,
): ExpressionResult {
  const { program, problem, source } = expression;
  if (program === undefined) return { kind: "error", message: `compilation error: ${problem}` };
  const result = program.evaluate(bindings, limits.maxCelCallCost);
  budget.remaining -= result.cost + budget.spent;
  budget.spent = 0;
  if (budget.remaining < 0) throw new OutOfBudget();
  if (result.kind === "value") return { kind: "value", value: result.value };
  return {
    kind: "error",
    message: `expression '${source}' resulted in error: ${result.message}`,
  };
}
