import assert from "node:assert/strict";
import { test } from "node:test";
import { errorFrom } from "./errors.ts";

test("a problem document keeps its code, its suggestion and its fields", () => {
  const error = errorFrom(400, {
    code: "request.invalid",
    detail: "the filter names an unknown field",
    suggestion: "use state",
    traceId: "abc",
    errors: [{ field: "query.filter", kind: "unknown", detail: "no such field" }],
  });
  assert.equal(error.message, "the filter names an unknown field");
  assert.equal(error.code, "request.invalid");
  assert.equal(error.suggestion, "use state");
  assert.equal(error.traceId, "abc");
  assert.deepEqual(error.errors, [{ field: "query.filter", detail: "no such field" }]);
});

test("a Status of the Kubernetes API becomes the same shape", () => {
  const error = errorFrom(422, {
    kind: "Status",
    code: 422,
    reason: "Invalid",
    message: "spec.size: too large",
    details: { causes: [{ field: "spec.size", message: "Invalid value: 9", reason: "x" }] },
  });
  assert.equal(error.code, "Invalid");
  assert.deepEqual(error.errors, [{ field: "spec.size", detail: "Invalid value: 9" }]);
});

test("a response without a document names its status", () => {
  assert.equal(errorFrom(502, undefined).message, "The server answered 502.");
});
