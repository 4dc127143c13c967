import assert from "node:assert/strict";
import { it } from "node:test";
import { createMeter } from "./meter.ts";

const definitions = {
  runs_total: { kind: "counter", help: "Runs.", labels: ["kind", "outcome"] },
  running: { kind: "gauge", help: "Running.", labels: [] },
  took_seconds: { kind: "histogram", help: "Time.", labels: ["kind"] },
} as const;

it("counts by labels, in the order of the definition", () => {
  const meter = createMeter(definitions);
  meter.count("runs_total", { outcome: "done", kind: "a" });
  meter.count("runs_total", { kind: "a", outcome: "done" }, 2);
  meter.count("runs_total", { kind: "a", outcome: "failed" });
  meter.gauge("running", 7);
  meter.gauge("running", 3);
  assert.equal(
    meter.text().split("# HELP took")[0],
    [
      "# HELP runs_total Runs.",
      "# TYPE runs_total counter",
      'runs_total{kind="a",outcome="done"} 3',
      'runs_total{kind="a",outcome="failed"} 1',
      "# HELP running Running.",
      "# TYPE running gauge",
      "running 3",
      "",
    ].join("\n"),
  );
});

it("shows a histogram with cumulative buckets", () => {
  const meter = createMeter(definitions);
  for (const seconds of [0.001, 0.2, 0.2, 1_000]) {
    meter.observe("took_seconds", seconds, { kind: "a" });
  }
  const text = meter.text();
  const of = 'took_seconds_bucket{kind="a",le=';
  for (const line of [`${of}"0.001"} 1`, `${of}"0.1"} 1`, `${of}"0.25"} 3`, `${of}"300"} 3`]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
  assert.ok(text.includes(`${of}"+Inf"} 4\ntook_seconds_sum{kind="a"} 1000.401\n`));
  assert.ok(text.includes('took_seconds_count{kind="a"} 4\n'));
});

it("keeps a bounded number of series and tells how many samples it left out", () => {
  const meter = createMeter(definitions, { maxSeries: 10 });
  for (let i = 0; i < 25; i++) meter.count("runs_total", { kind: `k${i}`, outcome: "done" });
  meter.count("unknown_total");
  meter.count("running");
  const text = meter.text();
  assert.equal(text.match(/^runs_total\{/gm)?.length, 10);
  assert.ok(text.endsWith("\nsetpoint_meter_dropped_total 17\n"));
});

it("escapes what would end a label early", () => {
  const meter = createMeter(definitions);
  meter.observe("took_seconds", 0, { kind: 'a"b\\c\nd' });
  assert.ok(meter.text().includes('{kind="a\\"b\\\\c\\nd",le="0.001"}'));
});

it("shows a renamed metric under both names", () => {
  const meter = createMeter({
    calls: { kind: "counter", help: "Calls.", labels: [], formerly: "old_calls" },
  });
  meter.count("calls");
  const lines = meter.text().split("\n");
  assert.ok(lines.includes("calls 1"));
  assert.ok(lines.includes("old_calls 1"));
  assert.ok(lines.includes("# HELP old_calls Deprecated: use calls. Calls."));
});

it("has the buckets of the definition", () => {
  const meter = createMeter({
    age_seconds: { kind: "histogram", help: "Age.", labels: [], buckets: [60, 3_600] },
  });
  for (const seconds of [1, 61, 9_999]) meter.observe("age_seconds", seconds);
  const shown = meter.text().match(/^age_seconds_bucket.*$/gm);
  assert.deepEqual(shown, [
    'age_seconds_bucket{le="60"} 1',
    'age_seconds_bucket{le="3600"} 2',
    'age_seconds_bucket{le="+Inf"} 3',
  ]);
});

it("reads collected gauges each time, and shows none after their end", () => {
  const meter = createMeter({ sizes: { kind: "gauge", help: "Sizes.", labels: ["of"] } });
  let value = 1;
  const end = meter.collect("sizes", () => [{ labels: { of: "a", other: "b" }, value }]);
  assert.ok(meter.text().includes('sizes{of="a"} 1\n'));
  value = 2;
  assert.ok(meter.text().includes('sizes{of="a"} 2\n'));
  end();
  assert.ok(!meter.text().includes("sizes{"));
});

it("bounds the number of collected series, and collects gauges only", () => {
  const meter = createMeter(definitions, { maxCollected: 3 });
  const samples = Array.from({ length: 5 }, (_, at) => ({ labels: {}, value: at }));
  meter.collect("running", () => samples);
  meter.collect("runs_total", () => samples);
  const text = meter.text();
  assert.equal(text.match(/^running \d/gm)?.length, 3);
  assert.ok(!text.includes("runs_total{"));
  assert.ok(text.endsWith("\nsetpoint_meter_dropped_total 3\n"));
});
