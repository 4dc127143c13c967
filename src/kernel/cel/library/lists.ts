// Functions of lists: those of Kubernetes (isSorted, sum, min, max, indexOf) and those of cel-go's
// extension, version 3 (slice, flatten, distinct, reverse, sort, sortBy, range).

import { compare, equal } from "../compare.ts";
import { listScan } from "../costs.ts";
import { add, createListCost, exactly, multiply, noBound, scale } from "../estimates.ts";
import { traversalFactor } from "../estimates.ts";
import type { Range } from "../estimates.ts";
import { declare, global, member } from "../functions.ts";
import type { CallCost, CallEstimate, CostNode, FunctionDeclaration } from "../functions.ts";
import { limits } from "../../limits.ts";
import { arithmetic } from "../numbers.ts";
import { sizeOf } from "../sizes.ts";
import { duration } from "../time.ts";
import { boolType, bytesType, doubleType, durationType, dynType, intType } from "../types.ts";
import { listType, paramType, stringType, timestampType, uintType } from "../types.ts";
import type { CelType } from "../types.ts";
import type { CelList, CelValue } from "../values.ts";
import { double, error, isError, items, list, noSuchOverload, typeOf, uint } from "../values.ts";

const comparable = [
  intType,
  uintType,
  doubleType,
  boolType,
  durationType,
  timestampType,
  stringType,
  bytesType,
];

const summable: readonly (readonly [CelType, CelValue])[] = [
  [intType, 0],
  [uintType, uint(0n)],
  [doubleType, double(0)],
  [durationType, { kind: "duration", nanos: 0n }],
];

const a = paramType("A");
const t = paramType("T");
const listOfT = listType(t);

/** The name that cel-go has for a type in the names of overloads. */
function idName(type: CelType): string {
  if (type.kind === "duration") return "google.protobuf.Duration";
  return type.kind === "timestamp" ? "google.protobuf.Timestamp" : type.name;
}

export const listFunctions: readonly FunctionDeclaration[] = [
  declare(
    "isSorted",
    comparable.map((type) =>
      member(`list_${type.name}_is_sorted_bool`, [listType(type)], boolType, isSorted),
    ),
    listScan,
  ),
  declare(
    "sum",
    summable.map(([type, zero]) =>
      member(`list_${type.name}_sum_${type.name}`, [listType(type)], type, (on) => sum(on, zero)),
    ),
    listScan,
  ),
  declare(
    "max",
    comparable.map((type) =>
      member(`list_${type.name}_max_${type.name}`, [listType(type)], type, (on) =>
        extreme(on, "max"),
      ),
    ),
    listScan,
  ),
  declare(
    "min",
    comparable.map((type) =>
      member(`list_${type.name}_min_${type.name}`, [listType(type)], type, (on) =>
        extreme(on, "min"),
      ),
    ),
    listScan,
  ),
  declare("indexOf", [
    member("list_a_index_of_int", [listType(a), a], intType, (on, item) =>
      onList(on, (found) => found.findIndex((other) => equal(other, item))),
    ),
  ]),
  declare("lastIndexOf", [
    member("list_a_last_index_of_int", [listType(a), a], intType, (on, item) =>
      onList(on, (found) => found.findLastIndex((other) => equal(other, item))),
    ),
  ]),
  declare(
    "slice",
    [
      member("list_slice", [listOfT, intType, intType], listOfT, (on, from, to) =>
        slice(on, from, to),
      ),
    ],
    {
      estimate: estimateSlice,
      bill: () => (_, result) => allocating(1, sizeOf(result)),
      needsResult: true,
    },
  ),
  declare(
    "flatten",
    [
      member("list_flatten", [listType(listOfT)], listOfT, (on) => flatten(on, 1)),
      member("list_flatten_int", [listType(dynType), intType], listType(dynType), (on, depth) =>
        flatten(on, Number(depth)),
      ),
    ],
    {
      estimate: ({ target, args, sizeOf: size }) => {
        if (target === undefined) return undefined;
        const depth = args[0] === undefined ? 1 : literal(args[0], noBound);
        return estimateAllocating(depth, size(target));
      },
      bill:
        () =>
        ([on = null, depth = 1]) =>
          allocating(levels(depth), sizeOf(on)),
    },
  ),
  declare("reverse", [member("list_reverse", [listOfT], listOfT, (on) => reverse(on))], {
    estimate: ({ target, sizeOf: size }) =>
      target === undefined ? undefined : estimateAllocating(1, size(target)),
    bill: () => (_, result) => allocating(1, sizeOf(result)),
    needsResult: true,
  }),
  declare("distinct", [member("list_distinct", [listOfT], listOfT, distinct)], {
    estimate: ({ target, sizeOf: size }) =>
      target === undefined
        ? undefined
        : estimateAllocating(2, multiply(size(target), size(target))),
    bill:
      () =>
      ([on = null]) =>
        selfComparing(on),
  }),
  declare(
    "sort",
    comparable.map((type) =>
      member(`list_${idName(type)}_sort`, [listType(type)], listType(type), (on) => sortBy(on, on)),
    ),
    sortCost(0),
  ),
  declare(
    "@sortByAssociatedKeys",
    comparable.map((type) =>
      member(
        `list_${idName(type)}_sortByAssociatedKeys`,
        [listOfT, listType(type)],
        listOfT,
        (on, keys) => sortBy(on, keys),
      ),
    ),
    sortCost(1),
  ),
  declare("lists.range", [global("lists_range", [intType], listType(intType), range)], {
    estimate: ({ args }) =>
      args[0] === undefined ? undefined : estimateAllocating(1, exactly(literal(args[0], noBound))),
    bill: () => (_, result) => allocating(1, sizeOf(result)),
    needsResult: true,
  }),
];

function onList(on: CelValue, run: (found: readonly CelValue[]) => CelValue): CelValue {
  return typeof on === "object" && on?.kind === "list" ? run(items(on)) : noSuchOverload;
}

function isSorted(on: CelValue): CelValue {
  return onList(on, (found) =>
    found.every((item, index) => {
      if (index === 0) return true;
      const order = compare(found[index - 1] ?? null, item);
      return typeof order !== "number" || order <= 0;
    }),
  );
}

function sum(on: CelValue, zero: CelValue): CelValue {
  return onList(on, (found) => {
    let total = zero;
    for (const item of found) {
      total = plus(total, item);
      if (isError(total)) return total;
    }
    return total;
  });
}

function plus(x: CelValue, y: CelValue): CelValue {
  const isDuration = typeof x === "object" && x?.kind === "duration";
  if (isDuration && typeof y === "object" && y?.kind === "duration") {
    return duration(x.nanos + y.nanos);
  }
  return arithmetic("+", x, y) ?? noSuchOverload;
}

function extreme(on: CelValue, which: "min" | "max"): CelValue {
  return onList(on, (found) => {
    let best: CelValue | undefined;
    for (const item of found) {
      const order = best === undefined ? 0 : compare(best, item);
      const isBetter = typeof order === "number" && (which === "min" ? order > 0 : order < 0);
      if (best === undefined || isBetter) best = item;
    }
    return best === undefined ? error(`${which} called on empty list`) : best;
  });
}

function slice(on: CelValue, from: CelValue, to: CelValue): CelValue {
  const [start, end] = [Number(from), Number(to)];
  return onList(on, (found) => {
    const call = `cannot slice(${start}, ${end})`;
    if (start < 0 || end < 0) return error(`${call}, negative indexes not supported`);
    if (start > end) return error(`${call}, start index must be less than or equal to end index`);
    if (end > found.length) return error(`${call}, list is length ${found.length}`);
    return list(found.slice(start, end));
  });
}

function flatten(on: CelValue, depth: number): CelValue {
  if (depth < 0) return error("level must be non-negative");
  return onList(on, (found) => list(flattened(found, depth)));
}

function flattened(found: readonly CelValue[], depth: number): readonly CelValue[] {
  return found.flatMap((item) =>
    depth > 0 && isList(item) ? flattened(items(item), depth - 1) : [item],
  );
}

function isList(value: CelValue): value is CelList {
  return typeof value === "object" && value?.kind === "list";
}

function reverse(on: CelValue): CelValue {
  return onList(on, (found) => list(found.toReversed()));
}

function distinct(on: CelValue): CelValue {
  return onList(on, (found) => {
    const seen: CelValue[] = [];
    for (const item of found) if (!seen.some((other) => equal(other, item))) seen.push(item);
    return list(seen);
  });
}

function sortBy(on: CelValue, by: CelValue): CelValue {
  return onList(on, (found) =>
    onList(by, (keys) => {
      const [first] = keys;
      if (first === undefined) return on;
      const { kind } = typeOf(first);
      if (keys.some((key) => typeOf(key).kind !== kind)) {
        return error("list elements must have the same type");
      }
      if (typeof compare(first, first) !== "number") {
        return error("list elements must be comparable");
      }
      const order = [...found.keys()].sort((x, y) => {
        const result = compare(keys[x] ?? null, keys[y] ?? null);
        return typeof result === "number" ? result : 0;
      });
      return list(order.map((index) => found[index] ?? null));
    }),
  );
}

function range(count: CelValue): CelValue {
  const length = Math.max(0, Number(count));
  if (length > limits.maxCelListItems) return error("list is too long");
  return list(Array.from({ length }, (_, index) => index));
}

/** What is no depth is refused when it runs: it must not make the bill smaller, or no number. */
function levels(depth: CelValue): number {
  const isInt = typeof depth === "number" || typeof depth === "bigint";
  return isInt ? Math.max(0, Number(depth)) : 1;
}

function allocating(factor: number, size: number): number {
  return Math.floor(size * factor) + 1 + createListCost;
}

function selfComparing(on: CelValue): number {
  const size = sizeOf(on);
  const first = isList(on) && on.size > 0 ? on.at(0) : null;
  const isText =
    typeof first === "string" || (typeof first === "object" && first?.kind === "bytes");
  return allocating(isText ? 2 + traversalFactor : 2, size * size);
}

function estimateAllocating(factor: number, size: Range): CallEstimate {
  return { cost: add(scale(size, factor), exactly(1 + createListCost)), resultSize: size };
}

function literal({ expression }: CostNode, otherwise: number): number {
  if (expression?.kind !== "literal" || typeof expression.value !== "number") return otherwise;
  return Math.max(0, expression.value);
}

function estimateSlice(call: Parameters<CallCost["estimate"]>[0]): CallEstimate | undefined {
  const [from, to] = call.args;
  if (call.target === undefined || from === undefined || to === undefined) return undefined;
  const length = literal(to, call.sizeOf(call.target).max) - literal(from, 0);
  return estimateAllocating(1, exactly(length < 0 ? noBound : length));
}

/** Of the list itself, or of the keys that it is sorted by. */
function sortCost(position: 0 | 1): CallCost {
  return {
    estimate: ({ overload, target, args, sizeOf: size }) => {
      const node = position === 0 ? target : args[0];
      if (node === undefined) return undefined;
      const isText = /^list_(?:string|bytes)_/.test(overload);
      return estimateAllocating(isText ? 2 + traversalFactor : 2, multiply(size(node), size(node)));
    },
    bill: (overload) => (overload === "" ? 1 : (args) => selfComparing(args[position] ?? null)),
  };
}
