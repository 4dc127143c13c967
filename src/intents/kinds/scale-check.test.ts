import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { scaleErrors } from "./scale-check.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

const paths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};

function problems(spec: Json, status: Json, part: "all" | "status" = "all"): readonly string[] {
  const resource = { apiVersion: "v1", kind: "X", metadata: {}, spec, status };
  const errors = scaleErrors(paths, resource as unknown as Resource, part);
  return errors.map(fieldErrorText);
}

test("numbers that are absent or sound are fine", () => {
  assert.deepEqual(problems({}, {}), []);
  assert.deepEqual(problems({ replicas: 0 }, { replicas: 2_147_483_647, selector: "a=b" }), []);
  assert.deepEqual(problems(null, null), []);
});

test("numbers out of range are named with their path", () => {
  assert.deepEqual(problems({ replicas: -1 }, { replicas: 2_147_483_648 }), [
    ".spec.replicas: Invalid value: -1: should be a non-negative integer",
    ".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647",
  ]);
  assert.deepEqual(problems({ replicas: -1 }, {}, "status"), []);
});

test("wrong types are called by their names in Go", () => {
  const problem = (path: string, zero: string, what: string): string =>
    `${path}: Invalid value: ${zero}: ${path} accessor error: ${what}`;
  const list = "[] is of the type []interface {}, expected map[string]interface{}";
  assert.deepEqual(problems([], { replicas: "x", selector: 1 }), [
    problem(".spec.replicas", "0", list),
    problem(".status.replicas", "0", "x is of the type string, expected int64"),
    problem(".status.selector", '""', "1 is of the type int64, expected string"),
  ]);
});
