import assert from "node:assert/strict";
import { test } from "node:test";
import { shortError } from "./short-error.ts";

test("a refusal that fits is told as it is", () => {
  const details = [{ code: "A", message: "One.", target: "a" }];
  const body = { error: { code: "A", message: "One.", target: "a", details } };
  assert.deepEqual(shortError(body), body);
  assert.deepEqual(shortError({}), {});
});

test("however much a refusal quotes, its answer is small and says what is wrong", () => {
  const message = `The value '${"x".repeat(900_000)}' is not even.`;
  const problem = { code: "A", message, target: `properties.${"y".repeat(900_000)}` };
  const { error } = shortError({
    error: { ...problem, details: Array.from({ length: 5_000 }, () => ({ ...problem })) },
  }) as { error: { message: string; details: { message: string }[] } };
  assert.ok(JSON.stringify(error).length < 200_000);
  assert.match(error.message, /^The value 'x+ \.\.\. x+' is not even\.$/);
  assert.ok(error.details.length >= 50);
  assert.match(error.details[0]?.message ?? "", /^The value 'x+ \.\.\. x+' is not even\.$/);
});
