import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../../kernel/resource.ts";
import { evaluatePolicy } from "./evaluation.ts";
import { policyOf } from "./policy.ts";

test("the evaluation of a policy is interrupted after each expression", () => {
  const many = <T>(count: number, each: (at: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, at) => each(at));
  const policy = policyOf({
    metadata: { name: "p" },
    spec: {
      matchConditions: many(5, (at) => ({ name: `c${at}`, expression: `${at} >= 0` })),
      variables: many(7, (at) => ({
        name: `v${at}`,
        expression: at === 0 ? "1" : `variables.v${at - 1} + 1`,
      })),
      validations: many(11, (at) => ({ expression: `variables.v6 == 7 && ${at} != 3` })),
      auditAnnotations: many(3, (at) => ({ key: `a${at}`, valueExpression: "'x'" })),
    },
  } as unknown as Resource);
  const slicesOf = (): number => {
    const work = evaluatePolicy(policy, {});
    let slices = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) slices += 1;
    assert.deepEqual(
      step.value.denials.map(({ index }) => index),
      [3],
    );
    assert.equal(step.value.annotations.length, 3);
    return slices;
  };
  assert.equal(slicesOf(), 7 + 5 + 11 + 1 + 3, "variables are compiled first");
  assert.equal(slicesOf(), 5 + 11 + 1 + 3, "they stay compiled");
});
