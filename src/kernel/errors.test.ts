import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as invariant } from "./assert.ts";
import {
  SetpointError,
  catalogue,
  defineErrors,
  entryOf,
  deserialiseError,
  isSetpointError,
  serialiseError,
} from "./errors.ts";
import type { ErrorCode } from "./errors.ts";

test("an error survives structured clone with code, details, suggestion and causes", () => {
  const cause = new TypeError("socket closed", { cause: new SetpointError("internal", "deep") });
  const error = new SetpointError("store.unavailable", "cannot commit", {
    cause,
    details: { attempt: 2 },
    suggestion: "wait",
  });
  const copy = deserialiseError(structuredClone(serialiseError(error)));
  assert.ok(isSetpointError(copy, "store.unavailable"));
  assert.deepEqual(copy.toJSON(), error.toJSON());
  assert.equal(copy.stack, error.stack);
  assert.ok(copy.cause instanceof Error);
  assert.equal(copy.cause.name, "TypeError");
  assert.ok(isSetpointError(copy.cause.cause, "internal"));
});

test("foreign errors and thrown non-errors stay foreign", () => {
  const copy = deserialiseError(structuredClone(serialiseError(new RangeError("far"))));
  assert.equal(copy.name, "RangeError");
  assert.ok(!isSetpointError(copy));
  assert.equal(deserialiseError(serialiseError("just text")).message, "just text");
});

test("the JSON form never shows the cause", () => {
  const error = new SetpointError("internal", "outer", { cause: new Error("password=hunter2") });
  assert.deepEqual(JSON.parse(JSON.stringify(error)), {
    code: "internal",
    message: "outer",
    details: {},
  });
});

test("an endless chain of causes is cut", () => {
  const error = new Error("loop");
  error.cause = error;
  assert.doesNotThrow(() => structuredClone(serialiseError(error)));
});

test("a code is asked for exactly", () => {
  const error = new SetpointError("resource.conflict", "stale");
  assert.ok(isSetpointError(error) && isSetpointError(error, "resource.conflict"));
  assert.ok(!isSetpointError(error, "resource.not_found"));
  assert.ok(!isSetpointError(new Error("x")) && !isSetpointError(null));
  assert.equal(error.status, 409);
  assert.equal(error.retry, "after_read");
});

test("every code has an HTTP error status and sentences for people", () => {
  for (const [code, entry] of Object.entries(catalogue)) {
    assert.match(code, /^[a-z]+(\.[a-z_]+)?$/);
    assert.ok(entry.status >= 400 && entry.status < 600, code);
    assert.ok(entry.summary.endsWith(".") && entry.action.endsWith("."), code);
  }
});

test("a broken invariant is an AssertionError, not an operational error", () => {
  assert.throws(() => invariant(false, "must hold"), { name: "AssertionError" });
});

test("a module adds codes of its own, which no other table has", () => {
  const busy = { status: 409, retry: "backoff", summary: "Busy.", action: "Wait." } as const;
  const code = "sample.busy" as ErrorCode;
  defineErrors({ [code]: busy });
  const error = new SetpointError(code, "the sample is busy");
  assert.deepEqual([error.status, error.retry, entryOf(code).action], [409, "backoff", "Wait."]);
  assert.throws(() => defineErrors({ [code]: busy }), /sample\.busy is defined twice/);
  assert.throws(() => defineErrors({ internal: busy }), /internal is defined twice/);
});
