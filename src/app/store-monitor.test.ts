import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import type { Fields } from "../telemetry/log.ts";
import { monitorStore } from "./store-monitor.ts";

type Mood = "answers" | "refuses" | "hangs";

function monitored() {
  const clock = manualClock(0);
  const timers = manualTimers(clock);
  const lines: unknown[] = [];
  let mood: Mood = "answers";
  const get = async (): Promise<undefined> => {
    if (mood === "hangs") await Promise.withResolvers<never>().promise;
    if (mood === "refuses") throw new SetpointError("store.unavailable", "gone");
    return undefined;
  };
  const at = (level: string) => (fields: Fields, message: string) =>
    void lines.push({ level, message, ...fields });
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const monitor = monitorStore({ store: { get }, timers, clock, log });
  const become = (next: Mood): void => void (mood = next);
  return { monitor, timers, lines, become };
}

test("a store that goes away is told once, and its return once with the time between", async () => {
  const { monitor, timers, lines, become } = monitored();
  await timers.advance(20_000);
  assert.deepEqual(lines, []);
  become("refuses");
  await timers.advance(20_000);
  become("answers");
  await timers.advance(20_000);
  assert.deepEqual(lines, [
    { level: "error", message: "store unavailable", reason: "store: store.unavailable" },
    { level: "info", message: "store available again", awayMs: 20_000 },
  ]);
  await monitor[Symbol.asyncDispose]();
  assert.equal(timers.pendingCount(), 0);
});

test("a store that does not answer in time counts as gone", async () => {
  const { monitor, timers, lines, become } = monitored();
  become("hangs");
  await timers.advance(7_000);
  assert.deepEqual(lines, [
    { level: "error", message: "store unavailable", reason: "store: no response within 2000 ms" },
  ]);
  await monitor[Symbol.asyncDispose]();
});
