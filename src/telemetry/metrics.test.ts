import assert from "node:assert/strict";
import { it } from "node:test";
import { createMetrics } from "./metrics.ts";

const sample = {
  verb: "GET",
  group: "",
  version: "v1",
  resource: "configmaps",
  subresource: "",
  code: 200,
  durationMs: 30,
};

it("counts requests by what was asked and how it was answered", () => {
  const metrics = createMetrics();
  for (const code of [200, 200, 404]) {
    metrics.started();
    metrics.finished({ ...sample, code });
  }
  metrics.started();
  const text = metrics.text([{ name: "up", help: "Up.", kind: "gauge", value: 1 }]);
  const of = 'group="",resource="configmaps",subresource="",verb="GET",version="v1"';
  assert.ok(text.includes(`apiserver_request_total{${of},code="200"} 2\n`), text);
  assert.ok(text.includes(`apiserver_request_total{${of},code="404"} 1\n`), text);
  assert.match(text, /apiserver_request_duration_seconds_bucket\{verb="GET",le="0.025"\} 0\n/);
  assert.match(text, /apiserver_request_duration_seconds_bucket\{verb="GET",le="0.1"\} 3\n/);
  assert.match(text, /apiserver_current_inflight_requests 1\n/);
  assert.match(text, /# TYPE up gauge\nup 1\n$/);
});

it("does not measure how long watches last", () => {
  const metrics = createMetrics();
  metrics.started();
  metrics.finished({ ...sample, verb: "WATCH" });
  assert.doesNotMatch(metrics.text([]), /duration_seconds_count/);
});
