// The door to CEL: compiles an expression against variables with types, and gives a program that
// can be evaluated many times, each time within a budget. The functions are those of the
// Kubernetes environments; callers may add functions and variables of their own.

import { check } from "./check.ts";
import type { Checked } from "./check.ts";
import { OverBudget, PlanError } from "./code.ts";
import type { Variable } from "./code.ts";
import { conversionFunctions } from "./conversions.ts";
import { estimateCost } from "./estimate.ts";
import type { SizeHints } from "./estimate.ts";
import type { Range } from "./estimates.ts";
import { mergeFunctions } from "./functions.ts";
import type { FunctionDeclaration, Functions } from "./functions.ts";
import { libraryFunctions, libraryMacros, libraryTypes } from "./library/libraries.ts";
import { literalProblems } from "./literal-checks.ts";
import { limits } from "../limits.ts";
import { bindMacros, optionalMacros, standardMacros, twoVariableMacros } from "./macros.ts";
import type { Macros } from "./macros.ts";
import { parse } from "./parser.ts";
import { plan } from "./plan.ts";
import { readsOf } from "./reads.ts";
import type { ReadPath } from "./reads.ts";
import { formatProblems } from "./source.ts";
import { standardFunctions } from "./standard.ts";
import { timeFunctions } from "./time-functions.ts";
import { boolType, bytesType, doubleType, durationType, dynType, intType } from "./types.ts";
import { formatType, listType, mapType, nullType, optionalType, sameType } from "./types.ts";
import { stringType, timestampType, typeOfType, typeType, uintType } from "./types.ts";
import type { CelType } from "./types.ts";
import type { CelValue } from "./values.ts";
import { isError, typeName } from "./values.ts";

export interface CompileOptions {
  readonly variables: Readonly<Record<string, CelType>>;
  /** The type that the result must have. */
  readonly expects?: CelType;
  /** What to say when it has another. */
  readonly expectation?: string;
  /** Beyond those of Kubernetes, such as the authorizer of admission policies. */
  readonly functions?: readonly FunctionDeclaration[];
  /** `cel.bind()`, which Kubernetes does not have. */
  readonly allowsBind?: boolean;
}

export type Compilation =
  | { readonly kind: "compiled"; readonly program: Program }
  | { readonly kind: "failed"; readonly message: string };

export interface Program {
  readonly type: CelType;
  readonly mentions: (variable: string) => boolean;
  /** The parts of the variables that it reads. */
  readonly reads: () => readonly ReadPath[];
  /** The worst case, given the sizes that parts of the variables may have. */
  readonly estimateCost: (hints?: SizeHints) => Range;
  /** Costs up to the budget; more than that is an error of its own kind. */
  readonly evaluate: (
    bindings: Readonly<Record<string, CelValue | undefined>>,
    budget: number,
  ) => Evaluation;
}

export type Evaluation =
  | { readonly kind: "value"; readonly value: CelValue; readonly cost: number }
  | { readonly kind: "error"; readonly message: string; readonly cost: number }
  | { readonly kind: "budget"; readonly message: string; readonly cost: number };

export function compileExpression(source: string, options: CompileOptions): Compilation {
  const functions =
    options.functions === undefined
      ? kubernetesFunctions
      : mergeFunctions([...kubernetesDeclarations, ...options.functions]);
  const macros = options.allowsBind === true ? macrosWithBind : kubernetesMacros;
  const parsed = parse(source, macros, {
    maxCodePoints: limits.maxCelCodePoints,
    maxDepth: limits.maxCelDepth,
    maxParts: limits.maxCelParts,
  });
  if (parsed.kind === "failed") return failed(source, parsed.problems);
  const identifiers = new Map([...typeIdentifiers, ...Object.entries(options.variables)]);
  const result = check(parsed.expression, { functions, identifiers });
  if (result.kind === "failed") return failed(source, result.problems);
  const { checked } = result;
  const problems = literalProblems(checked);
  if (problems.length > 0) return failed(source, problems);
  if (options.expects !== undefined && !sameType(checked.type, options.expects)) {
    const message = options.expectation ?? `must evaluate to ${formatType(options.expects)}`;
    return { kind: "failed", message };
  }
  try {
    return { kind: "compiled", program: programOf(checked, Object.keys(options.variables)) };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { kind: "failed", message: `program instantiation failed: ${error.message}` };
  }
}

function failed(source: string, problems: Parameters<typeof formatProblems>[1]): Compilation {
  return { kind: "failed", message: `compilation failed: ${formatProblems(source, problems)}` };
}

function programOf(checked: Checked, names: readonly string[]): Program {
  const variables = new Map(names.map((name, slot): [string, Variable] => [name, { slot }]));
  const { code, slotCount } = plan(checked, variables, typeValues);
  const used = new Set(checked.names.values());
  const bound = names.map((name, slot) => ({ name, slot })).filter(({ name }) => used.has(name));
  return {
    type: checked.type,
    mentions: (variable) => used.has(variable),
    reads: () => readsOf(checked.expression, new Set(names)),
    estimateCost: (hints = () => undefined) => estimateCost(checked, hints),
    evaluate: (bindings, budget) => {
      const slots = Array<CelValue | undefined>(slotCount);
      for (const { name, slot } of bound) slots[slot] = bindings[name];
      const frame = { slots, cost: 0, limit: budget, work: 0 };
      try {
        const value = code(frame);
        if (!isError(value)) return { kind: "value", value, cost: frame.cost };
        return { kind: "error", message: value.message, cost: frame.cost };
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error;
        return { kind: "budget", message: error.message, cost: frame.cost };
      }
    },
  };
}

const kubernetesDeclarations: readonly FunctionDeclaration[] = [
  ...standardFunctions,
  ...conversionFunctions,
  ...timeFunctions,
  ...libraryFunctions,
];

const kubernetesFunctions: Functions = mergeFunctions(kubernetesDeclarations);

const kubernetesMacros: Macros = new Map([
  ...standardMacros,
  ...twoVariableMacros,
  ...optionalMacros,
  ...libraryMacros,
]);

const macrosWithBind: Macros = new Map([...kubernetesMacros, ...bindMacros]);

/** The names that stand for types. */
const namedTypes: readonly (readonly [string, CelType])[] = [
  ["bool", boolType],
  ["bytes", bytesType],
  ["double", doubleType],
  ["google.protobuf.Duration", durationType],
  ["int", intType],
  ["list", listType(dynType)],
  ["map", mapType(dynType, dynType)],
  ["null_type", nullType],
  ["string", stringType],
  ["google.protobuf.Timestamp", timestampType],
  ["type", typeType],
  ["uint", uintType],
  ["optional_type", optionalType(dynType)],
  ...libraryTypes.map((type): [string, CelType] => [type.name, type]),
];

const typeIdentifiers: ReadonlyMap<string, CelType> = new Map(
  namedTypes.map(([name, type]) => [name, typeOfType(type)]),
);

const typeValues: ReadonlyMap<string, CelValue> = new Map(
  namedTypes.map(([name, type]) => [name, { kind: "type", name: typeName(type) }]),
);
