// Spans reach a collector over the HTTP adapter.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../src/adapters/http/contract/harness.ts";
import { startTracing } from "../../src/app/tracing.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { logger } from "../../src/telemetry/log.ts";

test("a span is posted to the collector with the configured headers", async () => {
  const bodies: string[] = [];
  await using collector = await serve((_, response, body) => {
    bodies.push(body.toString("utf8"));
    response.end("{}");
  });
  {
    await using tracing = startTracing({
      config: {
        url: `${collector.origin}/v1/traces`,
        headers: { "x-key": "k" },
        ratio: 1,
        propagates: true,
      },
      surroundings: { clock: systemClock, random: systemRandom, timers: systemTimers },
      log: logger(() => undefined, systemClock),
    });
    const about = { trace: "0af7651916cd43dd8448eb211c80319c", run: "1" };
    await tracing.runs.within({ name: "run", kind: "internal", about }, () => Promise.resolve());
  }
  const [request] = collector.seen;
  assert.deepEqual(
    [request?.method, request?.url, request?.headers["x-key"]],
    ["POST", "/v1/traces", "k"],
  );
  assert.match(bodies[0] ?? "", /0af7651916cd43dd8448eb211c80319c/);
});
