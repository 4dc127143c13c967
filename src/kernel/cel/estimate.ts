// How much an expression can cost at worst, from its shape and from the sizes that the schema
// allows. A CRD whose rules are too expensive is refused by this estimate, so it follows the
// estimation of cel-go step by step: another opinion would refuse other CRDs.

import type { Call, Comprehension, Expression, Select } from "./ast.ts";
import type { Checked, Resolution } from "./check.ts";
import {
  add,
  createListCost,
  createMapCost,
  createStructCost,
  exactly,
  noBound,
} from "./estimates.ts";
import { multiply, union, unknownSize } from "./estimates.ts";
import type { Range } from "./estimates.ts";
import type { CallEstimate, CostNode } from "./functions.ts";
import { codePoints } from "./sizes.ts";
import { isOptional } from "./types.ts";
import type { CelType } from "./types.ts";

/** The size that a part of a variable can have, by its path: ["self", "items", "@items"]. */
export type SizeHints = (path: readonly string[]) => Range | undefined;

export function estimateCost(checked: Checked, hints: SizeHints): Range {
  const estimator: Estimator = {
    checked,
    hints,
    paths: new Map(),
    sizes: new Map(),
    entrySizes: new Map(),
    locals: new Map(),
  };
  return costOf(estimator, checked.expression);
}

/** The sizes of what is inside a list or a map. */
interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entrySize: EntrySize | undefined;
}

interface Estimator {
  readonly checked: Checked;
  readonly hints: SizeHints;
  readonly paths: Map<Expression, readonly string[]>;
  readonly sizes: Map<Expression, Range>;
  readonly entrySizes: Map<Expression, EntrySize>;
  readonly locals: Map<string, Local[]>;
}

const nothing = exactly(0);
const one = exactly(1);

function costOf(estimator: Estimator, expression: Expression): Range {
  switch (expression.kind) {
    case "literal":
      return nothing;
    case "ident": {
      const local = findLocal(estimator, expression.name);
      estimator.paths.set(expression, local?.path ?? [expression.name]);
      return one;
    }
    case "select":
      return costOfSelect(estimator, expression);
    case "call":
      return costOfCall(estimator, expression);
    case "list":
      return costOfList(estimator, expression);
    case "map":
      return costOfMap(estimator, expression);
    case "struct":
      return exactly(createStructCost);
    default:
      return isBinding(expression)
        ? costOfBinding(estimator, expression)
        : costOfLoop(estimator, expression);
  }
}

function costOfSelect(estimator: Estimator, select: Select): Range {
  const name = estimator.checked.names.get(select);
  if (name !== undefined) {
    estimator.paths.set(select, [name]);
    return one;
  }
  const cost = costOf(estimator, select.operand);
  if (select.isTest) return cost;
  estimator.paths.set(select, [...pathOf(estimator, select.operand), select.field]);
  const { kind } = estimator.checked.typeOf(select.operand);
  return kind === "map" || kind === "struct" || kind === "param" ? add(cost, one) : cost;
}

function costOfCall(estimator: Estimator, call: Call): Range {
  const resolution = estimator.checked.calls.get(call);
  if (call.name === "dyn") return costOfDyn(estimator, call);
  const argCosts = call.args.map((arg) => costOf(estimator, arg));
  if (resolution === undefined) return nothing;
  const args = call.args.map((arg) => nodeOf(estimator, arg));
  const { target } = resolution;
  const targetCost = target === undefined ? nothing : costOf(estimator, target);
  const targetNode = target === undefined ? undefined : nodeOf(estimator, target);
  let cost: Range = { min: noBound, max: 0 };
  let size: Range | undefined;
  for (const { id } of resolution.overloads) {
    const parts = { overload: id, target: targetNode, args };
    const estimate = estimateCall(estimator, call, resolution, parts, argCosts);
    cost = union(cost, estimate.cost);
    if (estimate.resultSize !== undefined) {
      size = size === undefined ? estimate.resultSize : union(size, estimate.resultSize);
    }
    size = indexSize(estimator, call, id, size) ?? sizeOf(estimator, call);
  }
  if (size !== undefined) estimator.sizes.set(call, size);
  return add(targetCost, cost);
}

/** An index leads on along the path; what is known of the items is known of the result. */
function indexSize(
  estimator: Estimator,
  call: Call,
  overload: string,
  size: Range | undefined,
): Range | undefined {
  const [container] = call.args;
  if (container === undefined) return size;
  if (overload !== "index_list" && overload !== "index_map") return size;
  const part = overload === "index_list" ? "@items" : "@values";
  estimator.paths.set(call, [...pathOf(estimator, container), part]);
  return entrySizeOf(estimator, container)?.value;
}

function costOfDyn(estimator: Estimator, call: Call): Range {
  const [arg] = call.args;
  if (arg === undefined) return one;
  const cost = costOf(estimator, arg);
  copySizes(estimator, call, arg);
  return add(one, cost);
}

interface CallParts {
  readonly overload: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
}

function estimateCall(
  estimator: Estimator,
  call: Call,
  { declaration }: Resolution,
  parts: CallParts,
  argCosts: readonly Range[],
): CallEstimate {
  const [first = nothing, second = nothing, third = nothing] = argCosts;
  if (parts.overload === "logical_and" || parts.overload === "logical_or") {
    return { cost: { min: first.min, max: add(first, second).max } };
  }
  const size = (node: CostNode): Range => node.size ?? hinted(estimator, node) ?? unknownSize;
  if (parts.overload === "conditional") {
    const [, ifTrue, ifFalse] = parts.args;
    const sizes = [ifTrue, ifFalse].map((node) => node?.size ?? unknownSize);
    joinEntrySizes(estimator, call, call.args[1], call.args[2]);
    return { cost: add(first, union(second, third)), resultSize: sizes.reduce(union) };
  }
  if (declaration.name === "_+_") joinEntrySizes(estimator, call, call.args[0], call.args[1]);
  const estimate = declaration.cost.estimate({ ...parts, sizeOf: size }) ?? { cost: one };
  return { ...estimate, cost: argCosts.reduce(add, estimate.cost) };
}

function hinted(estimator: Estimator, { path }: CostNode): Range | undefined {
  return path === undefined || path.length === 0 ? undefined : estimator.hints(path);
}

function joinEntrySizes(
  estimator: Estimator,
  call: Call,
  a: Expression | undefined,
  b: Expression | undefined,
): void {
  const left = a === undefined ? undefined : entrySizeOf(estimator, a);
  const right = b === undefined ? undefined : entrySizeOf(estimator, b);
  if (left === undefined || right === undefined) return;
  const key = union(left.key, right.key);
  estimator.entrySizes.set(call, { ...left, key, value: union(left.value, right.value) });
}

function costOfList(estimator: Estimator, list: Extract<Expression, { kind: "list" }>): Range {
  const values = list.items.map(({ value }) => value);
  const cost = values.map((value) => costOf(estimator, value)).reduce(add, nothing);
  const value = sizeOfAll(estimator, values);
  estimator.entrySizes.set(list, { container: "list", key: one, value });
  return add(cost, exactly(createListCost));
}

function costOfMap(estimator: Estimator, map: Extract<Expression, { kind: "map" }>): Range {
  const cost = map.entries
    .flatMap(({ key, value }) => [costOf(estimator, key), costOf(estimator, value)])
    .reduce(add, nothing);
  const key = sizeOfAll(
    estimator,
    map.entries.map((entry) => entry.key),
  );
  const value = sizeOfAll(
    estimator,
    map.entries.map((entry) => entry.value),
  );
  estimator.entrySizes.set(map, { container: "map", key, value });
  return add(cost, exactly(createMapCost));
}

function sizeOfAll(estimator: Estimator, parts: readonly Expression[]): Range {
  if (parts.length === 0) return nothing;
  return parts.map((part) => sizeOf(estimator, part) ?? unknownSize).reduce(union);
}

function costOfLoop(estimator: Estimator, loop: Comprehension): Range {
  let cost = add(costOf(estimator, loop.range), costOf(estimator, loop.initial));
  pushLocal(estimator, loop.accumulator, {
    path: pathOf(estimator, loop.initial),
    size: sizeOf(estimator, loop.initial),
    entrySize: entrySizeOf(estimator, loop.initial),
  });
  pushLoopVariables(estimator, loop);
  const turn = add(costOf(estimator, loop.condition), costOf(estimator, loop.step));
  popLocal(estimator, loop.variable);
  if (loop.variable2 !== undefined) popLocal(estimator, loop.variable2);
  cost = add(cost, costOf(estimator, loop.result));
  popLocal(estimator, loop.accumulator);

  const turns = sizeOf(estimator, loop.range) ?? unknownSize;
  if (loop.initial.kind === "literal") {
    const size = sizeOf(estimator, loop.initial);
    if (size !== undefined) estimator.sizes.set(loop, size);
  } else if (loop.initial.kind === "list" || loop.initial.kind === "map") {
    estimator.sizes.set(loop, turns);
    const entrySize = entrySizeOf(estimator, loop.step);
    if (entrySize !== undefined) estimator.entrySizes.set(loop, entrySize);
  }
  return add(cost, multiply(turns, turn));
}

function pushLoopVariables(estimator: Estimator, loop: Comprehension): void {
  const entrySize = entrySizeOf(estimator, loop.range);
  const path = pathOf(estimator, loop.range);
  const isList = (entrySize?.container ?? estimator.checked.typeOf(loop.range).kind) === "list";
  const value: Local = {
    path: [...path, isList ? "@items" : "@values"],
    size: entrySize?.value,
    entrySize: undefined,
  };
  const key: Local = {
    path: [...path, isList ? "@indices" : "@keys"],
    size: entrySize?.key,
    entrySize: undefined,
  };
  if (loop.variable2 === undefined) {
    pushLocal(estimator, loop.variable, isList ? value : key);
    return;
  }
  pushLocal(estimator, loop.variable, key);
  pushLocal(estimator, loop.variable2, value);
}

function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  const isOverNothing = range.kind === "list" && range.items.length === 0;
  const neverTurns = condition.kind === "literal" && condition.value === false;
  return isOverNothing && neverTurns && accumulator !== "__result__";
}

function costOfBinding(estimator: Estimator, loop: Comprehension): Range {
  const cost = add(costOf(estimator, loop.range), costOf(estimator, loop.initial));
  pushLocal(estimator, loop.accumulator, {
    path: pathOf(estimator, loop.initial),
    size: sizeOf(estimator, loop.initial),
    entrySize: entrySizeOf(estimator, loop.initial),
  });
  const body = costOf(estimator, loop.result);
  popLocal(estimator, loop.accumulator);
  copySizes(estimator, loop, loop.result);
  return add(cost, body);
}

function copySizes(estimator: Estimator, to: Expression, from: Expression): void {
  const size = sizeOf(estimator, from);
  const entrySize = entrySizeOf(estimator, from);
  if (size !== undefined) estimator.sizes.set(to, size);
  if (entrySize !== undefined) estimator.entrySizes.set(to, entrySize);
}

function nodeOf(estimator: Estimator, expression: Expression): CostNode {
  const path = pathOf(estimator, expression);
  return {
    path: path.length === 0 || path[0] === "@result" ? undefined : path,
    type: estimator.checked.typeOf(expression),
    expression,
    size: sizeOf(estimator, expression),
  };
}

function pathOf(estimator: Estimator, expression: Expression): readonly string[] {
  const local = expression.kind === "ident" ? findLocal(estimator, expression.name) : undefined;
  return local?.path ?? estimator.paths.get(expression) ?? [];
}

function entrySizeOf(estimator: Estimator, expression: Expression): EntrySize | undefined {
  const known = estimator.entrySizes.get(expression);
  if (known !== undefined || expression.kind !== "ident") return known;
  return findLocal(estimator, expression.name)?.entrySize;
}

function sizeOf(estimator: Estimator, expression: Expression): Range | undefined {
  const known = estimator.sizes.get(expression) ?? writtenSize(expression);
  if (known !== undefined) return known;
  const path = pathOf(estimator, expression);
  const hint = path.length === 0 ? undefined : estimator.hints(path);
  if (hint !== undefined) {
    estimator.sizes.set(expression, hint);
    return hint;
  }
  if (isScalar(estimator.checked.typeOf(expression))) return one;
  return expression.kind === "ident" ? findLocal(estimator, expression.name)?.size : undefined;
}

/** What is written out has the size that can be seen. */
function writtenSize(expression: Expression): Range | undefined {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      if (typeof value === "string") return exactly(codePoints(value));
      if (typeof value === "object" && value?.kind === "bytes") return exactly(value.bytes.length);
      return one;
    }
    case "list":
      return exactly(expression.items.length);
    case "map":
      return exactly(expression.entries.length);
    default:
      return undefined;
  }
}

const scalars = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: CelType): boolean {
  const [inner] = type.params;
  if (isOptional(type) && inner !== undefined) return isScalar(inner);
  return scalars.has(type.kind);
}

function findLocal(estimator: Estimator, name: string): Local | undefined {
  return estimator.locals.get(name)?.at(-1);
}

function pushLocal(estimator: Estimator, name: string, local: Local): void {
  const stack = estimator.locals.get(name) ?? [];
  stack.push(local);
  estimator.locals.set(name, stack);
}

function popLocal(estimator: Estimator, name: string): void {
  estimator.locals.get(name)?.pop();
}
