import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import { limitedLog } from "./limited-log.ts";
import type { Fields, Logger } from "./log.ts";

const limit = { maxLines: 2, windowMs: 1_000 };

function collecting(): { readonly log: Logger; readonly lines: (readonly [string, Fields])[] } {
  const lines: (readonly [string, Fields])[] = [];
  const keep = (fields: Fields, message: string): void => {
    lines.push([message, fields]);
  };
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}

it("a flood of one line is counted, and does not hide other lines", async () => {
  const timers = manualTimers(manualClock(0));
  const { log, lines } = collecting();
  const limited = limitedLog(log, timers, limit);
  for (let n = 0; n < 100; n++) limited.error({ n }, "request failed");
  limited.info({}, "request not authenticated");
  assert.deepEqual(lines, [
    ["request failed", { n: 0 }],
    ["request failed", { n: 1 }],
    ["request not authenticated", {}],
  ]);
  await timers.advance(1_000);
  assert.deepEqual(lines.slice(3), [
    ["log lines suppressed", { line: "request failed", suppressed: 98 }],
  ]);
  limited.error({ n: 100 }, "request failed");
  assert.deepEqual(lines.at(-1), ["request failed", { n: 100 }]);
});

it("the number of suppressed lines is written when the server stops", () => {
  const timers = manualTimers(manualClock(0));
  const { log, lines } = collecting();
  const limited = limitedLog(log, timers, limit);
  for (let n = 0; n < 5; n++) limited.warn({ n }, "request failed");
  limited[Symbol.dispose]();
  assert.deepEqual(lines.at(-1), [
    "log lines suppressed",
    { line: "request failed", suppressed: 3 },
  ]);
  assert.equal(timers.pendingCount(), 0);
});
