import assert from "node:assert/strict";
import { test } from "node:test";
import { boolType, dynType, intType, listType, paramType, stringType } from "./types.ts";
import type { CelType } from "./types.ts";
import { unify } from "./unify.ts";

test("types that fit fill the holes, and an attempt that fails is undone", () => {
  const [a, b] = [paramType("A"), paramType("B")];
  const fillings = new Map<string, CelType>();
  assert.equal(unify(fillings, [stringType, listType(intType)], [a, listType(b)]), true);
  const filled: [string, CelType][] = [
    ["A", stringType],
    ["B", intType],
  ];
  assert.deepEqual([...fillings], filled);
  // The first part widens A and fills C before the second part fails.
  const c = paramType("C");
  assert.equal(unify(fillings, [dynType, intType, boolType], [a, c, stringType]), false);
  assert.deepEqual([...fillings], filled);
  assert.equal(unify(fillings, [intType], [c]), true);
  assert.deepEqual(fillings.get("C"), intType);
});
