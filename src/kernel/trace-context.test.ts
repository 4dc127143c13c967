import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "./random.ts";
import {
  formatTraceparent,
  isSpanId,
  isTraceId,
  newSpanId,
  newTraceId,
  parseTraceparent,
} from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test("a valid traceparent gives its trace, its span and the sampled flag", () => {
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-01`), {
    traceId,
    spanId,
    isSampled: true,
  });
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-00`)?.isSampled, false);
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-ff`)?.isSampled, true);
});

test("a traceparent of a later version is read, whatever follows its four fields", () => {
  assert.equal(parseTraceparent(`01-${traceId}-${spanId}-01`)?.traceId, traceId);
  assert.equal(parseTraceparent(`cc-${traceId}-${spanId}-01-what-the-future`)?.traceId, traceId);
  assert.equal(parseTraceparent(`cc-${traceId}-${spanId}-01.what`), undefined);
});

test("an invalid traceparent gives no context", () => {
  const invalid = [
    undefined,
    "",
    "00",
    `00-${traceId}-${spanId}`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-0g`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ];
  for (const text of invalid) assert.equal(parseTraceparent(text), undefined, text);
});

test("new ids are valid and differ, and a formatted context is read back", () => {
  const random = seededRandom(1);
  const context = { traceId: newTraceId(random), spanId: newSpanId(random), isSampled: true };
  assert.ok(isTraceId(context.traceId));
  assert.ok(isSpanId(context.spanId));
  assert.notEqual(newTraceId(random), context.traceId);
  assert.deepEqual(parseTraceparent(formatTraceparent(context)), context);
  const zeros = { next: () => 0, bytes: (count: number) => new Uint8Array(count) };
  assert.ok(isTraceId(newTraceId(zeros)));
  assert.ok(isSpanId(newSpanId(zeros)));
});
