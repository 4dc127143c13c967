// The tree of an expression after macros were expanded. Operators are calls of functions with
// names such as `_+_`, as in every CEL implementation, because messages name them so. Where a
// node came from a macro, it keeps the call as it was written, to be printed again.

import type { CelBytes, CelDouble, CelUint } from "./values.ts";

export type LiteralValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | CelDouble
  | CelUint
  | CelBytes;

interface Node {
  /** Where messages point to: an index into the text, in UTF-16 units. */
  readonly at: number;
  readonly written?: MacroCall;
}

export interface MacroCall {
  readonly target: Expression | undefined;
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: LiteralValue;
}

export interface Ident extends Node {
  readonly kind: "ident";
  /** With a leading dot when it was written with one. */
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  /** `has(operand.field)`: whether it is there, not what it is. */
  readonly isTest: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly target: Expression | undefined;
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface ListItem {
  readonly value: Expression;
  /** `[?value]`: left out when the optional is empty. */
  readonly isOptional: boolean;
}

export interface CreateList extends Node {
  readonly kind: "list";
  readonly items: readonly ListItem[];
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface CreateMap extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface CreateStruct extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** What all loops of CEL are: a range folded into an accumulator. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expression;
  readonly variable: string;
  /** With two variables, the first is the index or the key. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

export type Expression =
  | Literal
  | Ident
  | Select
  | Call
  | CreateList
  | CreateMap
  | CreateStruct
  | Comprehension;

/** The accumulator of the macros; no text can spell it, so it hides no variable. */
export const accumulatorName = "@result";

/** "a.b.c" when the expression is nothing but names and dots. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "ident") return expression.name;
  if (expression.kind !== "select" || expression.isTest) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}
