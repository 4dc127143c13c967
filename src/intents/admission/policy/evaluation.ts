// What a policy says about one request with one set of parameters: a decision for each validation
// that does not hold or cannot be evaluated, and the annotations for the audit log.

import { appendAll } from "../../../kernel/append.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { limits } from "../../../kernel/limits.ts";
import type { CelMap, CelValue } from "../../../kernel/cel/values.ts";
import { error } from "../../../kernel/cel/values.ts";
import type { Bindings } from "../expression/bindings.ts";
import { evaluate, newBudget, OutOfBudget } from "../expression/expression.ts";
import type { Budget, ExpressionResult } from "../expression/expression.ts";
import type { Policy, PolicyChecks, PolicyVariable, Validation } from "./policy.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface Denial {
  /** Which validation; 0 when it is not about one. */
  readonly index: number;
  readonly message: string;
  /** Empty for the usual one. */
  readonly reason: string;
}

export interface PolicyResult {
  readonly denials: readonly Denial[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Annotations that could not be made are refusals, whatever the binding asks for. */
  readonly annotationErrors: readonly string[];
}

const nothing: PolicyResult = { denials: [], annotations: [], annotationErrors: [] };

/** Yields after each expression. */
export function* evaluatePolicy(policy: Policy, bindings: Bindings): Sliced<PolicyResult> {
  const checks = yield* policy.checks();
  const failed = (message: string): PolicyResult =>
    policy.isIgnoredOnFailure
      ? nothing
      : { ...nothing, denials: [{ index: 0, message, reason: "" }] };
  if (checks.conditions !== undefined) {
    const result = yield* checks.conditions(bindings);
    if (result.kind === "skip") return nothing;
    if (result.kind === "error") return failed(result.message);
  }
  try {
    const denials = yield* validate(policy, checks, bindings);
    return { ...(yield* annotate(policy, checks, bindings)), denials };
  } catch (problem) {
    if (!(problem instanceof OutOfBudget)) throw problem;
    return failed(problem.message);
  }
}

function* validate(
  policy: Policy,
  checks: PolicyChecks,
  given: Bindings,
): Sliced<readonly Denial[]> {
  const budget = newBudget(limits.maxCelDocumentCost);
  const bindings = withVariables(checks.variables, given, budget);
  const results: ExpressionResult[] = [];
  for (const { expression } of checks.validations) {
    results.push(evaluate(expression, bindings, budget));
    yield;
  }
  const denials: Denial[] = [];
  for (const [index, validation] of checks.validations.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    if (result.kind === "error") {
      if (!policy.isIgnoredOnFailure) denials.push({ index, message: result.message, reason: "" });
    } else if (result.value !== true) {
      const fresh = withVariables(checks.variables, given, budget);
      appendAll(denials, deniedBy(policy, validation, index, fresh, budget));
      yield;
    }
  }
  return denials;
}

function deniedBy(
  policy: Policy,
  validation: Validation,
  index: number,
  bindings: Bindings,
  budget: Budget,
): readonly Denial[] {
  const { expression, message, messageExpression, reason } = validation;
  try {
    const result =
      messageExpression === undefined ? undefined : evaluate(messageExpression, bindings, budget);
    const computed = result?.kind === "value" ? fitText(result.value) : "";
    const plain = message.trim();
    const fallback = plain === "" ? `failed expression: ${expression.source.trim()}` : plain;
    return [{ index, message: computed === "" ? fallback : computed, reason }];
  } catch (problem) {
    if (!(problem instanceof OutOfBudget)) throw problem;
    const text = `failed messageExpression: ${problem.message}`;
    return policy.isIgnoredOnFailure ? [] : [{ index, message: text, reason: "" }];
  }
}

/** A message is one line of bounded length. */
function fitText(value: CelValue): string {
  const text = typeof value === "string" ? value.trim() : "";
  const isFit = !text.includes("\n") && Buffer.byteLength(text) <= limits.maxCelMessageBytes;
  return isFit ? text : "";
}

function* annotate(
  policy: Policy,
  checks: PolicyChecks,
  given: Bindings,
): Sliced<Pick<PolicyResult, "annotations" | "annotationErrors">> {
  if (checks.annotations.length === 0) return nothing;
  const budget = newBudget(limits.maxCelDocumentCost);
  const bindings = withVariables(checks.variables, given, budget);
  const annotations: [string, string][] = [];
  const annotationErrors: string[] = [];
  for (const { key, expression } of checks.annotations) {
    const result = evaluate(expression, bindings, budget);
    yield;
    if (result.kind === "error") {
      if (!policy.isIgnoredOnFailure) annotationErrors.push(result.message);
      continue;
    }
    const text = typeof result.value === "string" ? result.value.trim() : "";
    if (text !== "") annotations.push([key, shortened(text)]);
  }
  return { annotations, annotationErrors };
}

const maxAnnotationBytes = 10 * 1_024;

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= maxAnnotationBytes) return text;
  const cut = Buffer.from(text).subarray(0, maxAnnotationBytes).toString("utf8");
  return withoutTrailing(cut, "\ufffd");
}

/** Variables are computed when they are first asked for, and then kept. */
function withVariables(
  variables: readonly PolicyVariable[],
  given: Bindings,
  budget: Budget,
): Bindings {
  if (variables.length === 0) return given;
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const values = new Map<string, CelValue>();
  const bindings: Record<string, CelValue | undefined> = { ...given };
  const compute = (name: string): CelValue | undefined => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const variable = byName.get(name);
    if (variable === undefined) return undefined;
    const value = variableValue(variable, bindings, budget);
    values.set(name, value);
    return value;
  };
  const map: CelMap = {
    kind: "map",
    size: variables.length,
    get: (key) => (typeof key === "string" ? compute(key) : undefined),
    keys: () => [...byName.keys()],
  };
  bindings["variables"] = map;
  return bindings;
}

function variableValue(
  { name, expression }: PolicyVariable,
  bindings: Bindings,
  budget: Budget,
): CelValue {
  const { program, problem } = expression;
  const called = `composited variable ${JSON.stringify(name)}`;
  if (program === undefined) return error(`${called} fails to compile: ${problem}`);
  const result = program.evaluate(bindings, limits.maxCelCallCost);
  budget.spent += result.cost;
  if (result.kind === "value") return result.value;
  return error(`${called} fails to evaluate: ${result.message}`);
}
