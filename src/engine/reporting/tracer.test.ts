import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { Resource } from "../../kernel/resource.ts";
import { metric } from "./metric-names.ts";
import type { Labels } from "../ports.ts";
import { createTracer, factsOfRun, traceOf } from "./tracer.ts";

const clock = manualClock();
const timers = manualTimers(clock);

function setting(): {
  readonly tracer: ReturnType<typeof createTracer>;
  readonly lines: Readonly<Record<string, unknown>>[];
  readonly slow: (string | undefined)[];
} {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const slow: (string | undefined)[] = [];
  const meter = {
    count: (name: string, labels?: Labels) => {
      assert.equal(name, metric.slowSpans);
      slow.push(labels?.["span"]);
    },
    gauge: () => undefined,
    observe: () => undefined,
  };
  const log = { debug: (fields: Readonly<Record<string, unknown>>) => void lines.push(fields) };
  return { tracer: createTracer({ clock, log, meter }), lines, slow };
}

function resourceWith(traceparent: string): Resource {
  const annotations = { "setpoint.dev/traceparent": traceparent };
  const creationTimestamp = "2026-01-01T00:00:00Z";
  const metadata = { name: "a", uid: "u", generation: 1, creationTimestamp, annotations };
  return { apiVersion: "example.com/v1", kind: "Thing", metadata };
}

it("spans nest by the flow of the code, also when several go on at once", async () => {
  const { tracer, lines, slow } = setting();
  const run = async (name: string, ms: number): Promise<string> =>
    await tracer.span(
      "reconcile",
      async () => {
        await timers.sleep(ms);
        return await tracer.span("connect", async () => {
          await timers.sleep(ms);
          return name;
        });
      },
      { run: name },
    );
  const both = Promise.all([run("1", 10), run("2", 600)]);
  await timers.runAll();
  assert.deepEqual(await both, ["1", "2"]);
  const told = lines.map(({ run: id, span, tookMs }) => [id, span, tookMs]);
  assert.deepEqual(told, [
    ["1", "reconcile/connect", 10],
    ["1", "reconcile", 20],
    ["2", "reconcile/connect", 600],
    ["2", "reconcile", 1_200],
  ]);
  assert.deepEqual(slow, ["reconcile"]);
});

it("passes on what is thrown, and says that it was", async () => {
  const { tracer, lines } = setting();
  const failing = tracer.span("reconcile", async () => await Promise.reject(new Error("no")));
  await assert.rejects(failing, /no/);
  assert.deepEqual(lines, [{ span: "reconcile", tookMs: 0, hasFailed: true }]);
});

it("ties a run to the trace of the request, when it left one that can be read", () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const resource = resourceWith(`00-${trace}-00f067aa0ba902b7-01`);
  const key = { kind: "things.example.com", namespace: "n", name: "a" };
  assert.equal(traceOf(resource), trace);
  const run = { key, claim: { token: 7 }, traceId: trace, wokenBy: undefined };
  assert.deepEqual(factsOfRun(run), { run: "7", ...key, trace });
  assert.deepEqual(factsOfRun({ ...run, wokenBy: 3 }), { run: "7", ...key, trace, change: "3" });
  for (const bad of ["", "00-xyz", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, trace]) {
    assert.equal(traceOf(resourceWith(bad)), undefined, bad);
  }
});
