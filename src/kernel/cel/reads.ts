// Which parts of its variables an expression reads, from its tree: `resources.db.outputs.host` is
// the path [resources, db, outputs, host]. An index that is computed is the token "*". A variable
// of a loop stands for the items of the range that it runs over. Pure.

import type { Comprehension, Expression } from "./ast.ts";

export type ReadPath = readonly string[];

/** The token of an index whose value is not in the text of the expression. */
export const computedIndex = "*";

/** The longest paths, each once. `variables` are the names that count as variables. */
export function readsOf(
  expression: Expression,
  variables: ReadonlySet<string>,
): readonly ReadPath[] {
  const found = new Map<string, ReadPath>();
  const names = new Map([...variables].map((name): [string, ReadPath] => [name, [name]]));
  visit(expression, { names, found });
  return [...found.values()];
}

interface Reading {
  /** Undefined: a variable of a loop over values that are not a part of a variable. */
  readonly names: ReadonlyMap<string, ReadPath | undefined>;
  readonly found: Map<string, ReadPath>;
}

function visit(expression: Expression, reading: Reading): void {
  const path = pathOf(expression, reading);
  if (path !== undefined) {
    reading.found.set(JSON.stringify(path), path);
    return;
  }
  switch (expression.kind) {
    case "select":
      visit(expression.operand, reading);
      break;
    case "call":
      for (const part of [expression.target, ...expression.args]) {
        if (part !== undefined) visit(part, reading);
      }
      break;
    case "list":
      for (const { value } of expression.items) visit(value, reading);
      break;
    case "map":
      for (const { key, value } of expression.entries) {
        visit(key, reading);
        visit(value, reading);
      }
      break;
    case "struct":
      for (const { value } of expression.fields) visit(value, reading);
      break;
    case "comprehension":
      visitLoop(expression, reading);
      break;
    default:
  }
}

/** The path of an expression that only selects from a variable. Visits computed indexes. */
function pathOf(expression: Expression, reading: Reading): ReadPath | undefined {
  switch (expression.kind) {
    case "ident":
      return reading.names.get(expression.name.replace(/^\./, ""));
    case "select": {
      const operand = pathOf(expression.operand, reading);
      return operand && [...operand, expression.field];
    }
    case "call": {
      const [operand, index] = expression.args;
      const isSelection = ["_[_]", "_[?_]", "_?._"].includes(expression.name);
      if (!isSelection || operand === undefined || index === undefined) return undefined;
      const path = pathOf(operand, reading);
      if (path === undefined) return undefined;
      if (index.kind === "literal" && typeof index.value !== "object") {
        return [...path, String(index.value)];
      }
      visit(index, reading);
      return [...path, computedIndex];
    }
    default:
      return undefined;
  }
}

/** The range is read through the variables of the loop, or as a whole when it is no path. */
function visitLoop(loop: Comprehension, reading: Reading): void {
  const range = pathOf(loop.range, reading);
  if (range === undefined) visit(loop.range, reading);
  visit(loop.initial, reading);
  const inner = new Map(reading.names);
  const items = range && [...range, computedIndex];
  inner.set(loop.accumulator, undefined);
  inner.set(loop.variable, items);
  if (loop.variable2 !== undefined) inner.set(loop.variable2, items);
  const found = new Map<string, ReadPath>();
  for (const part of [loop.condition, loop.step, loop.result]) {
    visit(part, { names: inner, found });
  }
  for (const [text, path] of found) reading.found.set(text, path);
  // A loop that ignores its items still depends on their number.
  const isRead = [...found.values()].some((path) => range?.every((at, i) => path[i] === at));
  if (range !== undefined && !isRead) reading.found.set(JSON.stringify(range), range);
}
