// Whatever a reconciler returns, what goes on from there has the shape and the size of an outcome.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { again, done, failed, waiting } from "../outcome.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { outcomeReturned } from "./returned-outcome.ts";

function failureOf(value: unknown): Failed {
  const outcome = outcomeReturned(value);
  assert.ok(outcome.kind === "failed");
  return outcome;
}

test("outcomes stay as they are", () => {
  const ready = { status: "Unknown", reason: "Odd", message: "who knows" } as const;
  const given: readonly Outcome[] = [
    done(),
    done({ status: { size: 1 }, ready: "keep" }),
    again(5, { ready }),
    waiting({ kind: "configmaps", namespace: "other", name: "a", condition: "Ready" }),
    failed("Throttled", "too fast", { retry: "never", afterMs: 7, isCounted: false }),
  ];
  for (const outcome of given) assert.deepEqual(outcomeReturned(outcome), outcome);
});

test("a reason is one word of bounded length, and a message has an end", () => {
  assert.equal(failureOf(failed("has spaces", "")).reason, "ReconcileError");
  assert.equal(failureOf(failed("R".repeat(129), "")).reason, "ReconcileError");
  assert.equal(failureOf(failed("Fine", "m".repeat(5_000_000))).message.length, 32_768);
  assert.deepEqual(failureOf({ kind: "failed" }), failed("ReconcileError", ""));
  assert.equal(failureOf({ ...failed("A", ""), retry: "bogus" }).retry, "soon");
});

test("what is no outcome becomes a failure that says so", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const given: readonly unknown[] = [
    undefined,
    "done",
    [],
    { kind: "finished" },
    { kind: "done", status: "text" },
    { kind: "done", ready: true },
    { kind: "done", ready: { status: "Maybe", reason: "", message: "" } },
    { kind: "waiting" },
    { kind: "waiting", on: [null] },
    { kind: "waiting", on: [{ kind: "configmaps", name: "" }] },
    revoked.proxy,
    Object.defineProperty({}, "kind", { get: () => assert.fail("unreadable") }),
  ];
  for (const value of given) assert.equal(failureOf(value).reason, "InvalidOutcome");
  for (const nothing of [undefined, null]) {
    assert.match(failureOf(nothing).message, /returned nothing; return done\(\), again\(\), /);
  }
});

test("who waits for nothing is told so", () => {
  const { reason, message } = failureOf(waiting([]));
  assert.equal(reason, "InvalidOutcome");
  assert.match(message, /its `on` is empty; name at least one reference$/);
});

test("anything at all gives an outcome", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      assert.match(outcomeReturned(value).kind, /^(done|again|waiting|failed)$/);
    }),
  );
});
