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
