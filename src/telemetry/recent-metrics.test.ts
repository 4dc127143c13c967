import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { createMeter } from "./meter.ts";
import { recentLimits, recentMetrics } from "./recent-metrics.ts";

const names = {
  reconciles: "runs_total",
  running: "running",
  due: "due",
  startLatencySeconds: "start_seconds",
};

function rig() {
  const clock = manualClock();
  // The start of a step of a minute.
  clock.advanceMs(60_000 - (clock.nowMs() % 60_000));
  const recent = recentMetrics(clock);
  const meter = recent.follow(
    createMeter({
      runs_total: { kind: "counter", help: "", labels: ["kind", "outcome"] },
      running: { kind: "gauge", help: "", labels: ["kind"] },
      due: { kind: "gauge", help: "", labels: ["kind"] },
      start_seconds: { kind: "histogram", help: "", labels: ["kind"] },
    }),
    names,
  );
  return { clock, recent, meter };
}

it("rates and percentiles are those of their step, and the meter has the same", () => {
  const { clock, recent, meter } = rig();
  for (let run = 1; run <= 100; run++) {
    meter.count("runs_total", { kind: "a", outcome: run <= 10 ? "failed" : "done" });
    meter.observe("start_seconds", run / 1_000, { kind: "a" });
  }
  meter.gauge("running", 3, { kind: "a" });
  meter.gauge("running", 4, { kind: "b" });
  meter.gauge("running", 0, { kind: "a" });
  for (const status of [200, 200, 404, 503]) recent.request(status, 20);
  recent.request(200, undefined);
  clock.advanceMs(10_000);
  const series = recent.read(10_000, 10_000);
  assert.deepEqual(series.reconcilesPerSecond, [10]);
  assert.deepEqual(series.failedPerSecond, [1]);
  assert.deepEqual(series.running, [7]);
  assert.deepEqual(series.requestsPerSecond, [0.5]);
  assert.deepEqual(series.requestErrorsPerSecond, [0.1]);
  const near = (value: number | undefined, expected: number): void =>
    assert.ok(Math.abs((value ?? 0) / expected - 1) <= 0.11, `${value} is not near ${expected}`);
  near(series.startLatencyP50Seconds[0], 0.05);
  near(series.startLatencyP99Seconds[0], 0.099);
  near(series.requestP50Seconds[0], 0.02);
  assert.match(meter.text(), /runs_total\{kind="a",outcome="failed"\} 10/);
});

it("a quiet time has rates of 0 and no percentiles, and the time before the start neither", () => {
  const { clock, recent } = rig();
  clock.advanceMs(120_000);
  recent.request(200, 5);
  clock.advanceMs(60_000);
  const { requestsPerSecond, requestP50Seconds, fromMs, stepMs, startedMs } = recent.read(
    300_000,
    60_000,
  );
  assert.deepEqual(requestsPerSecond, [undefined, undefined, 0, 0, 1 / 60]);
  assert.deepEqual(requestP50Seconds.slice(0, 4), [undefined, undefined, undefined, undefined]);
  assert.equal(fromMs + 2 * stepMs, startedMs);
});

it("it keeps an hour, however long the process runs", () => {
  const { clock, recent } = rig();
  recent.request(200, 5);
  const hourMs = recentLimits.slots * recentLimits.slotMs;
  clock.advanceMs(hourMs + 60_000);
  const series = recent.read(2 * hourMs, 60_000);
  assert.equal(series.requestsPerSecond.length, 60);
  assert.ok(series.requestsPerSecond.every((rate) => rate === 0));
});

it("the number of due resources is known for steps in which it was measured", () => {
  const { clock, recent, meter } = rig();
  meter.gauge("due", 5, { kind: "a" });
  meter.gauge("due", 2, { kind: "b" });
  clock.advanceMs(10_000);
  meter.gauge("due", Number.NaN, { kind: "b" });
  clock.advanceMs(5_000);
  assert.deepEqual(recent.read(15_000, 5_000).due, [7, undefined, undefined]);
});
