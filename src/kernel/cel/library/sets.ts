// Lists taken for sets: each may hold an element more than once, and in any order.

import { equal } from "../compare.ts";
import { add, exactly, multiply, scale } from "../estimates.ts";
import { declare, global } from "../functions.ts";
import type { CallCost, FunctionDeclaration } from "../functions.ts";
import { sizeOf } from "../sizes.ts";
import { boolType, listType, paramType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { items, noSuchOverload } from "../values.ts";

const listOfT = listType(paramType("T"));

/** Each element of one list may have to be compared with each of the other. */
function pairwise(factor: number): CallCost {
  return {
    estimate: ({ args, sizeOf: size }) => {
      const pairs = args.map(size).reduce(multiply, exactly(1));
      return { cost: add(scale(pairs, factor), exactly(1)) };
    },
    bill:
      () =>
      ([a = null, b = null]) =>
        1 + Math.floor(sizeOf(a) * sizeOf(b) * factor),
  };
}

type Test = (a: readonly CelValue[], b: readonly CelValue[]) => boolean;

const contains: Test = (a, b) => b.every((item) => a.some((other) => equal(other, item)));
const equivalent: Test = (a, b) => contains(a, b) && contains(b, a);
const intersects: Test = (a, b) => a.some((item) => b.some((other) => equal(other, item)));

function declareSet(name: string, test: Test, factor: number): FunctionDeclaration {
  const run = (a: CelValue, b: CelValue): CelValue => {
    if (typeof a !== "object" || a?.kind !== "list") return noSuchOverload;
    if (typeof b !== "object" || b?.kind !== "list") return noSuchOverload;
    return test(items(a), items(b));
  };
  const overload = global(`list_sets_${name}_list`, [listOfT, listOfT], boolType, run);
  return declare(`sets.${name}`, [overload], pairwise(factor));
}

export const setFunctions: readonly FunctionDeclaration[] = [
  declareSet("contains", contains, 1),
  declareSet("equivalent", equivalent, 2),
  declareSet("intersects", intersects, 1),
];
