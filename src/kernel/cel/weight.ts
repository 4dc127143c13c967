// How many parts an expression has once its macros are expanded. Some macros use a part twice, so a
// short text can stand for a tree that nobody could walk; parts that are shared count each time.

import type { Expression } from "./ast.ts";

/** Takes time linear in the text, as each part is weighed once. */
export function weigh(expression: Expression, known = new Map<Expression, number>()): number {
  const before = known.get(expression);
  if (before !== undefined) return before;
  let weight = 1;
  for (const part of partsOf(expression)) weight += weigh(part, known);
  known.set(expression, weight);
  return weight;
}

export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expression.operand];
    case "call":
      return expression.target === undefined
        ? expression.args
        : [expression.target, ...expression.args];
    case "list":
      return expression.items.map(({ value }) => value);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expression.fields.map(({ value }) => value);
    default:
      return [
        expression.range,
        expression.initial,
        expression.condition,
        expression.step,
        expression.result,
      ];
  }
}
