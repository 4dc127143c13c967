// The health checks of built-in modules at /readyz, beside those of the server.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HealthCheck } from "../contract/module.ts";
import { manualClock } from "../kernel/clock.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import type { Exchange } from "../surfaces/http/exchange.ts";
import { healthPaths, isHealthPath } from "./health.ts";

type Handler = ReturnType<typeof healthPaths>;

async function answerTo(url: string, checks: readonly HealthCheck[]): Promise<string> {
  const timers = manualTimers(manualClock());
  const handler = healthPaths({
    store: { get: () => Promise.resolve(undefined) },
    timers,
    stopping: new AbortController().signal,
    storeState: { writeProblem: () => undefined },
    checks,
  });
  const { pathname: path, searchParams: query } = new URL(url, "http://server");
  let answer = "";
  const exchange = {
    send: (status: number, _headers: unknown, text: string) => {
      answer = `${status} ${text}`;
    },
  } as unknown as Exchange;
  const info = { path, query } as unknown as Parameters<Handler>[1];
  const served = handler(exchange, info, { name: "", groups: [], extra: {} });
  await timers.advance(2_000);
  assert.equal(await served, true, url);
  return answer;
}

const good: HealthCheck = { name: "orchard", check: () => Promise.resolve(undefined) };
const bad: HealthCheck = { name: "orchard", check: () => Promise.resolve("no apples") };

describe("the health check of a module", () => {
  it("is shown, and has a path of its own that needs no credentials", async () => {
    assert.match(await answerTo("/readyz?verbose", [good]), /^200 [^]*\[\+\]orchard ok\n/);
    assert.match(await answerTo("/readyz/orchard", [good]), /^200 /);
    assert.ok(isHealthPath("/readyz/orchard", [good]));
    assert.ok(!isHealthPath("/livez/orchard", [good]));
  });

  it("makes the server not ready only where it is required", async () => {
    assert.match(await answerTo("/readyz", [bad]), /^200 ok/);
    assert.match(await answerTo("/readyz/orchard", [bad]), /^500 [^]*failed: no apples/);
    const verbose = await answerTo("/readyz?verbose", [bad]);
    assert.match(verbose, /^200 [^]*\[-\]orchard failed \(not required\): no apples\n/);
    const required = { ...bad, isRequired: true } as const;
    assert.match(await answerTo("/readyz", [required]), /^500 [^]*\[-\]orchard failed: no apples/);
  });

  it("fails when it does not answer in time, or throws", async () => {
    const slow: HealthCheck = { name: "slow", check: () => new Promise(() => {}) };
    assert.match(await answerTo("/readyz/slow", [slow]), /failed: no response within 2000 ms/);
    const thrown: HealthCheck = {
      name: "thrown",
      check: () => Promise.reject(new Error("secret")),
    };
    assert.match(await answerTo("/readyz/thrown", [thrown]), /failed: the check failed/);
  });
});
