import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isSetpointError } from "../kernel/errors.ts";
import { causeFault, causeLimits } from "../kernel/cause.ts";
import { decodeCause, encodeCause } from "./stored-cause.ts";
import type { Cause } from "../kernel/cause.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const plain: Cause = { actor: "jane", surface: "kube" };

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const causes: fc.Arbitrary<Cause> = fc.record(
  {
    actor: text,
    surface: text,
    impersonator: text,
    traceId: fc.constant(traceId),
    correlationId: fc.oneof(text, fc.uuid()),
  },
  { requiredKeys: ["actor", "surface"], noNullPrototype: true },
);

test("every valid cause is read back as it was stored", () => {
  fc.assert(
    fc.property(causes, (cause) => {
      assert.deepEqual(decodeCause(encodeCause(cause)), cause);
    }),
  );
});

test("a cause with a trace and a UUID takes fewer than 50 bytes", () => {
  const correlationId = "7f0c6a80-9d6b-4f0e-8a3c-0d6f5f1b2c3d";
  assert.equal(encodeCause({ ...plain, traceId, correlationId }).length, 43);
  assert.deepEqual(
    decodeCause(encodeCause({ ...plain, traceId, correlationId })).correlationId,
    correlationId,
  );
});

test("a fault names the part of the cause that is not valid", () => {
  const long = (bytes: number): string => "x".repeat(bytes + 1);
  const faults: readonly [keyof Cause, unknown][] = [
    ["actor", ""],
    ["actor", undefined],
    ["actor", long(causeLimits.actorBytes)],
    ["surface", long(causeLimits.surfaceBytes)],
    ["surface", "a\u0000"],
    ["traceId", "0".repeat(32)],
    ["traceId", traceId.toUpperCase()],
    ["correlationId", long(causeLimits.correlationBytes)],
    ["impersonator", "a\ud800"],
  ];
  for (const [part, value] of faults) {
    assert.equal(causeFault({ ...plain, [part]: value })?.[0], part);
  }
  assert.equal(causeFault({ ...plain, traceId, correlationId: "c", impersonator: "i" }), undefined);
});

test("bytes that are not a cause are reported as damage", () => {
  const whole = encodeCause({ ...plain, impersonator: "root" });
  for (let end = 0; end < whole.length - plain.actor.length; end += 1) {
    assert.throws(
      () => decodeCause(whole.subarray(0, end)),
      (error) => isSetpointError(error, "store.corrupt"),
    );
  }
});
