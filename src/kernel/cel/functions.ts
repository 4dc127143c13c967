// A function of CEL, declared once: its signatures, what it does and what it costs. The checker
// reads the signatures, the planner takes the implementation, and both the estimate of a rule's
// cost and the bill while it runs come from the same declaration.

import type { Expression } from "./ast.ts";
import type { Range } from "./estimates.ts";
import type { CelType } from "./types.ts";
import type { CelValue } from "./values.ts";

export type Implementation = (...args: readonly CelValue[]) => CelValue;

export interface Overload {
  /** The name that cel-go gives it; costs go by it. */
  readonly id: string;
  readonly isMember: boolean;
  /** The receiver first, if there is one. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly run: Implementation;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Handles every combination of types itself, and says when there is no overload for one. */
  readonly isGeneric: boolean;
  readonly cost: CallCost;
}

/** An argument as the estimation knows it. */
export interface CostNode {
  /** As in ["self", "items", "@items"]; undefined when it is not a part of a variable. */
  readonly path: readonly string[] | undefined;
  readonly type: CelType;
  readonly expression: Expression | undefined;
  /** What the expression itself says about the size. */
  readonly size: Range | undefined;
}

export interface EstimatedCall {
  readonly overload: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  /** From the expression, else from the schema, else unknown. */
  readonly sizeOf: (node: CostNode) => Range;
}

export interface CallEstimate {
  /** Without the costs of the arguments. */
  readonly cost: Range;
  readonly resultSize?: Range;
}

export interface CallCost {
  /** Undefined: one unit. */
  readonly estimate: (call: EstimatedCall) => CallEstimate | undefined;
  /** Asked for once, when the call is planned; empty when the values decide the overload. */
  readonly bill: (overload: string) => Bill;
  /** The bill depends on the result. All others are paid before the work is done. */
  readonly needsResult?: true;
}

/** Units, or how many units. The arguments begin with the receiver, if there is one. */
export type Bill = number | ((args: readonly CelValue[], result: CelValue) => number);

export function global(
  id: string,
  args: readonly CelType[],
  result: CelType,
  run: Implementation,
): Overload {
  return { id, isMember: false, args, result, run };
}

export function member(
  id: string,
  args: readonly CelType[],
  result: CelType,
  run: Implementation,
): Overload {
  return { id, isMember: true, args, result, run };
}

const unitCost: CallCost = {
  estimate: () => undefined,
  bill: () => 1,
};

export function declare(
  name: string,
  overloads: readonly Overload[],
  cost: CallCost = unitCost,
): FunctionDeclaration {
  return { name, overloads, isGeneric: false, cost };
}

/** Operators: one implementation for all signatures, which looks at the values itself. */
export function declareGeneric(
  name: string,
  signatures: readonly Omit<Overload, "run">[],
  run: Implementation,
  cost: CallCost = unitCost,
): FunctionDeclaration {
  const overloads = signatures.map((signature) => ({ ...signature, run }));
  return { name, overloads, isGeneric: true, cost };
}

export type Functions = ReadonlyMap<string, FunctionDeclaration>;

/** Libraries may add overloads to the functions of others; the first declaration's cost stays. */
export function mergeFunctions(declarations: readonly FunctionDeclaration[]): Functions {
  const functions = new Map<string, FunctionDeclaration>();
  for (const declaration of declarations) {
    const known = functions.get(declaration.name);
    functions.set(
      declaration.name,
      known === undefined
        ? declaration
        : { ...known, overloads: [...known.overloads, ...declaration.overloads] },
    );
  }
  return functions;
}
