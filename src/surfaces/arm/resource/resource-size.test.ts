import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import { numberAt } from "../../../kernel/json-read.ts";
import { checkSize } from "./resource-size.ts";

const of = (bytes: number) => ({ spec: { text: "x".repeat(bytes) } });
const stored = (bytes: number) => ({ body: Buffer.alloc(bytes) });

function isTooLarge(error: unknown): boolean {
  return isSetpointError(error) && numberAt(error.details, "statusCode") === 413;
}

it("a change makes a resource no larger than fits into an answer", () => {
  checkSize(stored(3_000_000), of(3_000_000), of(3_900_000));
  const grow = (): void => checkSize(stored(3_900_000), of(3_900_000), of(4_100_000));
  assert.throws(grow, isTooLarge);
});

it("what is too large already may become smaller, or stay as it is", () => {
  checkSize(stored(6_000_000), of(6_000_000), of(5_000_000));
  checkSize(stored(6_000_000), of(6_000_000), of(6_000_000));
  const grow = (): void => checkSize(stored(6_000_000), of(6_000_000), of(6_000_001));
  assert.throws(grow, isTooLarge);
});
