// What expressions are planned into: closures over a frame. The frame holds the variables in
// numbered slots, and the bill: whatever costs adds to it, and going over the limit stops the
// evaluation where it stands, which is the one thing here that throws.

import type { Checked } from "./check.ts";
import type { Expression } from "./ast.ts";
import { tick } from "../inline-time.ts";
import { limits } from "../limits.ts";
import type { CelValue } from "./values.ts";

export interface Frame {
  /** Undefined: not bound, or not computed yet. */
  readonly slots: (CelValue | undefined)[];
  cost: number;
  readonly limit: number;
  /** Comparisons inside of lists and maps, which cost nothing but take time. */
  work: number;
}

export type Code = (frame: Frame) => CelValue;

export interface Planned {
  readonly code: Code;
  /** The value, when it is known before anything runs. */
  readonly constant?: CelValue;
}

/** A variable that planning knows of. */
export interface Variable {
  readonly slot: number;
  /** Computes the variable when it is first used, if it ever is. */
  readonly lazy?: Code;
  /** The accumulator of a loop that only adds to it, so that it can be changed in place. */
  readonly builds?: "list" | "map";
}

export interface Planner {
  readonly checked: Checked;
  /** Innermost last. */
  readonly scopes: ReadonlyMap<string, Variable>[];
  /** Names of types, which are values. */
  readonly constants: ReadonlyMap<string, CelValue>;
  slotCount: number;
  /** `isBranch`: an attribute within another one, whose first name is not charged. */
  readonly plan: (expression: Expression, isBranch?: boolean) => Planned;
}

/** Thrown when the bill goes over the limit; caught where the evaluation began. */
export class OverBudget extends Error {}

const overBudget = new OverBudget("operation cancelled: actual cost limit exceeded");

/** Thrown at planning when a constant part of the expression cannot be evaluated. */
export class PlanError extends Error {}

export function charge(frame: Frame, units: number): void {
  frame.cost += units;
  tick(units);
  if (frame.cost > frame.limit) throw overBudget;
}

/** Comparing deep values costs what comparing their first level costs; this is their limit. */
export function meterOf(frame: Frame): () => void {
  return () => {
    frame.work += 1;
    tick();
    if (frame.work > limits.maxCelComparisons) throw overBudget;
  };
}

export function constant(value: CelValue): Planned {
  return { code: () => value, constant: value };
}

export function findVariable(planner: Planner, name: string): Variable | undefined {
  for (let i = planner.scopes.length - 1; i >= 0; i--) {
    const found = planner.scopes[i]?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
