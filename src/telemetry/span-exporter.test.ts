import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { limits } from "../kernel/limits.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import { otlpJson } from "./otlp-json.ts";
import { createSpanExporter } from "./span-exporter.ts";
import type { EndedSpan } from "./spans.ts";

const span: EndedSpan = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentSpanId: undefined,
  name: "commit",
  kind: "client",
  startMs: 1_767_225_600_000,
  durationMs: 1.25,
  attributes: { writes: 2, ratio: 0.5, engine: "sqlite", isGroup: true },
  error: undefined,
};

function exporter(answers: (number | Error)[] = []) {
  const timers = manualTimers(manualClock());
  const bodies: string[] = [];
  const logged: string[] = [];
  const say = (_fields: unknown, message: string): void => void logged.push(message);
  const send = (body: string): Promise<number> => {
    bodies.push(body);
    const answer = answers.shift() ?? 200;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const log = { info: say, warn: say };
  const resource = { "service.name": "setpoint" };
  const made = createSpanExporter({ send, timers, log, resource });
  return { exporter: made, timers, bodies, logged };
}

function countOf(body: string | undefined): number {
  return body?.split('"spanId"').length === undefined ? 0 : body.split('"spanId"').length - 1;
}

test("a span has the form of OTLP, with 64-bit numbers as texts", () => {
  const failed = { ...span, parentSpanId: "b7ad6b7169203331", error: "no" };
  assert.deepEqual(JSON.parse(otlpJson({ "service.name": "setpoint" }, [failed])), {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "setpoint" } }] },
        scopeSpans: [
          {
            scope: { name: "setpoint" },
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                parentSpanId: "b7ad6b7169203331",
                name: "commit",
                kind: 3,
                startTimeUnixNano: "1767225600000000000",
                endTimeUnixNano: "1767225600001250000",
                attributes: [
                  { key: "writes", value: { intValue: "2" } },
                  { key: "ratio", value: { doubleValue: 0.5 } },
                  { key: "engine", value: { stringValue: "sqlite" } },
                  { key: "isGroup", value: { boolValue: true } },
                ],
                status: { code: 2, message: "no" },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("spans that end within a second go out together, and a full batch at once", async () => {
  const { exporter: spans, timers, bodies } = exporter();
  spans.add(span);
  spans.add(span);
  await timers.advance(limits.spanExportDelayMs - 1);
  assert.equal(bodies.length, 0);
  await timers.advance(1);
  assert.deepEqual(bodies.map(countOf), [2]);
  for (let count = 0; count < limits.maxSpanBatch; count += 1) spans.add(span);
  await timers.advance(0);
  assert.deepEqual(bodies.map(countOf), [2, limits.maxSpanBatch]);
  assert.equal(spans.exported, 2 + limits.maxSpanBatch);
});

test("a batch is sent again while the collector is away, and reported once", async () => {
  const answers = [new Error("refused"), 503, 200, 400, 200];
  const { exporter: spans, timers, bodies, logged } = exporter(answers);
  spans.add(span);
  await timers.advance(10 * limits.spanExportDelayMs);
  assert.equal(bodies.length, 3);
  assert.deepEqual([spans.exported, spans.dropped], [1, 0]);
  assert.deepEqual(logged, ["trace export failed", "trace export works again"]);
  spans.add(span);
  await timers.advance(10 * limits.spanExportDelayMs);
  assert.equal(bodies.length, 4, "a batch that is not valid is not sent again");
  assert.deepEqual([spans.exported, spans.dropped], [1, 1]);
});

test("the queue is bounded, and what does not fit is counted", () => {
  const { exporter: spans } = exporter();
  for (let count = 0; count < limits.maxQueuedSpans + 700; count += 1) spans.add(span);
  assert(spans.dropped >= 700 - limits.maxSpanBatch && spans.dropped <= 700);
});

test("a stop sends what is queued, and does not wait for a collector that is away", async () => {
  const working = exporter();
  working.exporter.add(span);
  await working.exporter[Symbol.asyncDispose]();
  assert.equal(working.exporter.exported, 1);
  const away = exporter([503, 503, 503, 503, 503]);
  away.exporter.add(span);
  await away.exporter[Symbol.asyncDispose]();
  assert.equal(away.bodies.length, 1);
  assert.equal(away.exporter.dropped, 1);
  away.exporter.add(span);
  assert.equal(away.exporter.dropped, 2);
});
