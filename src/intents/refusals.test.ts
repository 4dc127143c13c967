import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { fieldErrorsOf, invalidField } from "../kernel/field-error.ts";
import { limits } from "../kernel/limits.ts";
import { invalid } from "./refusals.ts";

const kind = { group: "", names: { kind: "ConfigMap" } };

function causes(error: unknown): readonly unknown[] {
  assert.ok(isSetpointError(error, "resource.invalid"));
  return fieldErrorsOf(error.details);
}

test("of very many errors the first ones are named and the others counted", () => {
  const errors = Array.from({ length: 300_000 }, (_, i) => invalidField(`f${i}`, i, "is bad"));
  const error = invalid(kind, "x", errors);
  assert.equal(causes(error).length, limits.maxShownErrors + 1);
  assert.match(error.message, /<nil>: Too many: 300000: 299900 more errors are not shown\]$/);
});

test("errors that quote very much are bounded by their size, and one is always named", () => {
  const large = "x".repeat(limits.maxShownErrorChars);
  const errors = [1, 2, 3].map((i) => invalidField(`f${i}`, large, "is bad"));
  assert.equal(causes(invalid(kind, "x", errors)).length, 2);
  assert.equal(causes(invalid(kind, "x", errors.slice(0, 1))).length, 1);
});
