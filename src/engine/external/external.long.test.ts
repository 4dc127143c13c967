import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { ManualTimers } from "../../kernel/manual-timers.ts";
import { seededRandom } from "../../kernel/random.ts";
import { metric } from "../reporting/metric-names.ts";
import { failed, ReconcileFailure } from "../outcome.ts";
import { createExternal } from "./external.ts";
import type { Outside, ExternalOptions } from "./external.ts";
import { CallRefused } from "./call-refused.ts";
import type { Meter } from "../ports.ts";

interface Setting {
  readonly outside: Outside;
  readonly timers: ManualTimers;
  readonly numbers: ReadonlyMap<string, number>;
  /** Calls and tells what came of it. */
  readonly call: (
    namespace: string,
    inside: (signal: AbortSignal) => Promise<unknown>,
  ) => Promise<unknown>;
}

const system = "db.example.com";
const ok = (): Promise<unknown> => Promise.resolve("ok");
const hang = (): Promise<unknown> => new Promise(() => {});

function fail(thrown: Error = new Error("down")): () => Promise<unknown> {
  return async () => await Promise.reject<unknown>(thrown);
}

function setting(options: ExternalOptions = {}): Setting {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const numbers = new Map<string, number>();
  const meter: Meter = {
    count: (name, labels, by = 1) => {
      const key = `${name} ${labels?.["why"] ?? ""}`.trim();
      numbers.set(key, (numbers.get(key) ?? 0) + by);
    },
    gauge: (name, value) => numbers.set(name, value),
    observe: () => {},
  };
  const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
  const random = seededRandom(1);
  const outside = createExternal({ clock, timers, random, meter, log: quiet, options });
  const { signal } = new AbortController();
  const call: Setting["call"] = async (namespace, inside) => {
    try {
      return await outside.call({ system, namespace, signal, call: inside });
    } catch (error) {
      return error;
    }
  };
  return { outside, timers, numbers, call };
}

async function failTimes(given: Setting, times: number, error?: Error): Promise<void> {
  for (let at = 0; at < times; at++) await given.call("a", fail(error));
}

it("gives back what the call gives, and throws what it throws", async () => {
  const { call } = setting();
  assert.equal(await call("a", ok), "ok");
  const error = new Error("no");
  assert.equal(await call("a", fail(error)), error);
  const thrown = await call("a", () => {
    throw error;
  });
  assert.equal(thrown, error);
});

it("refuses after five failures, with the system and the time in the message", async () => {
  const given = setting();
  await failTimes(given, 5);
  const error = await given.call("a", ok);
  assert.ok(error instanceof CallRefused);
  assert.deepEqual([error.system, error.why], [system, "CircuitOpen"]);
  assert.ok(error.afterMs >= 3_750 && error.afterMs < 5_100, String(error.afterMs));
  assert.match(error.message, /^calls to db\.example\.com failed; .* after 2026-01-01T00:00:0/);
  assert.equal(given.numbers.get(metric.breakerState), 2);
  assert.equal(given.numbers.get(metric.externalFailures), 5);
  assert.equal(given.numbers.get(`${metric.externalRefusals} CircuitOpen`), 1);
  assert.deepEqual(given.outside.states(), [{ system, breaker: "open", inFlight: 0, waiting: 0 }]);
});

it("tells in a word how calls have failed, and nothing of the text of an error", async () => {
  const coded = Object.assign(new Error("connect 10.0.0.1 as hunter22"), { code: "ECONNREFUSED" });
  const named = Object.assign(new Error("hunter22"), { reason: "ConnectionFailed" });
  const answered = Object.assign(new Error("hunter22"), { status: 503 });
  const wordy = Object.assign(new Error("hunter22"), { code: "hunter22 is wrong" });
  for (const [error, how] of [
    [coded, " (ECONNREFUSED)"],
    [new Error("hunter22", { cause: coded }), " (ECONNREFUSED)"],
    [named, " (ConnectionFailed)"],
    [answered, " (503)"],
    [wordy, ""],
  ] as const) {
    const given = setting();
    await failTimes(given, 5, error);
    const refusal = await given.call("a", ok);
    assert.ok(refusal instanceof CallRefused);
    const said = `calls to ${system} failed${how}; the next attempt is after `;
    assert.ok(refusal.message.startsWith(said), refusal.message);
    assert.doesNotMatch(refusal.message, /hunter22/);
  }
});

it("recovers by one probe", async () => {
  const given = setting();
  await failTimes(given, 5);
  await given.timers.advance(5_000);
  const { promise, resolve: answer } = Promise.withResolvers<string>();
  const probe = given.call("a", async () => await promise);
  await Promise.resolve();
  assert.ok((await given.call("a", ok)) instanceof CallRefused);
  assert.equal(given.numbers.get(metric.breakerState), 1);
  answer("back");
  assert.equal(await probe, "back");
  assert.equal(await given.call("a", ok), "ok");
  assert.equal(given.numbers.get(metric.breakerState), 0);
});

it("errors that blame the request do not open it, and others do", async () => {
  const blameless = [
    Object.assign(new Error("bad"), { status: 400 }),
    Object.assign(new Error("gone"), { statusCode: 404 }),
    Object.assign(new Error("taken"), { response: { status: 409 } }),
    new ReconcileFailure(failed("Invalid", "no", { retry: "never" })),
    new CallRefused("other", "Busy", 1, "busy"),
  ];
  for (const error of blameless) {
    const given = setting();
    await failTimes(given, 10, error);
    assert.equal(await given.call("a", ok), "ok", error.message);
  }
  const blamed = [
    ...[408, 429, 500, 503].map((status) => Object.assign(new Error("down"), { status })),
    new ReconcileFailure(failed("Down", "later")),
  ];
  for (const error of blamed) {
    const given = setting();
    await failTimes(given, 5, error);
    assert.ok((await given.call("a", ok)) instanceof CallRefused, String(error));
  }
});

it("a probe that answers that the request was wrong closes it", async () => {
  const given = setting();
  await failTimes(given, 5);
  await given.timers.advance(5_000);
  await given.call("a", fail(Object.assign(new Error("gone"), { status: 404 })));
  assert.equal(await given.call("a", ok), "ok");
});

it("a call that hangs is aborted, and counts", async () => {
  const given = setting({ defaults: { timeoutMs: 2_000, consecutiveFailures: 1 } });
  let aborted: unknown;
  const hanging = given.call("a", async (signal) => {
    signal.addEventListener("abort", () => {
      aborted = signal.reason;
    });
    return await hang();
  });
  await given.timers.advance(2_000);
  const error = await hanging;
  assert.ok(error instanceof Error && error.name === "TimeoutError");
  assert.equal(aborted, error);
  assert.ok((await given.call("a", ok)) instanceof CallRefused);
  assert.equal(given.timers.pendingCount(), 0);
});

it("an abort by the run ends the call and does not count, unless its time was up", async () => {
  for (const name of ["AbortError", "TimeoutError"]) {
    const given = setting({ defaults: { consecutiveFailures: 1 } });
    const stop = new AbortController();
    const { signal } = stop;
    const running = given.outside.call({ system, namespace: "a", signal, call: hang });
    await given.timers.advance(0);
    stop.abort(new DOMException("stop", name));
    await assert.rejects(running, { name });
    const isOpen = (await given.call("a", ok)) instanceof CallRefused;
    assert.equal(isOpen, name === "TimeoutError");
    await assert.rejects(given.outside.call({ system, namespace: "a", signal, call: ok }), {
      name,
    });
    assert.equal(given.timers.pendingCount(), 0);
  }
});

it("calls beyond the bound wait a little and are refused as busy", async () => {
  const given = setting({ systems: { [system]: { calls: 2, queue: 2, waitMs: 500 } } });
  const first = given.call("a", hang);
  const second = given.call("a", ok);
  const third = await given.call("a", ok);
  assert.ok(third instanceof CallRefused && third.why === "Busy", "too many wait");
  assert.equal(await given.call("b", ok), "ok", "of another there is room");
  await given.timers.advance(500);
  const error = await second;
  assert.ok(error instanceof CallRefused);
  assert.match(error.message, /^db\.example\.com is busy with up to 2 calls at a time/);
  assert.ok(error.afterMs >= 1_000 && error.afterMs < 2_000);
  assert.deepEqual(given.outside.states(), [
    { system, breaker: "closed", inFlight: 1, waiting: 0 },
  ]);
  void first;
});

it("who waits is let in when a place is free, and leaves when its run is aborted", async () => {
  const given = setting({ defaults: { calls: 2 } });
  const { promise, resolve: answer } = Promise.withResolvers<string>();
  const first = given.call("a", async () => await promise);
  const second = given.call("a", ok);
  const stop = new AbortController();
  const { signal } = stop;
  const third = given.outside.call({ system, namespace: "a", signal, call: ok });
  stop.abort(new Error("stopped"));
  await assert.rejects(third, /stopped/);
  assert.equal(given.numbers.get(metric.externalWaiting), 1);
  answer("one");
  assert.deepEqual(await Promise.all([first, second]), ["one", "ok"]);
  assert.equal(given.numbers.get(metric.externalInFlight), 0);
  assert.equal(given.timers.pendingCount(), 0);
});

it("a tenant with hundreds of hanging calls does not delay another's", async () => {
  const given = setting();
  const hanging = Array.from({ length: 500 }, () => given.call("a", hang));
  for (let at = 0; at < 50; at++) assert.equal(await given.call("b", ok), "ok");
  await given.timers.advance(60_000);
  assert.equal(await given.call("b", ok), "ok", "not even once the calls have timed out");
  await given.timers.runAll();
  const ends = await Promise.all(hanging);
  assert.ok(ends.every((end) => end instanceof Error));
});

it("ten thousand that wait for one system do not come at once when it is back", async () => {
  const given = setting();
  await failTimes(given, 5);
  const delays: number[] = [];
  for (let at = 0; at < 10_000; at++) {
    const error = await given.call("a", ok);
    assert.ok(error instanceof CallRefused);
    delays.push(error.afterMs);
  }
  const earliest = Math.min(...delays);
  for (let fromMs = 0; fromMs < 200_000; fromMs += 1_000) {
    const together = delays.filter(
      (ms) => ms >= earliest + fromMs && ms < earliest + fromMs + 1_000,
    );
    assert.ok(together.length <= 75);
  }
});

it("forgets systems that nobody calls any more", async () => {
  const { outside } = setting();
  const { signal } = new AbortController();
  for (let at = 0; at < 1_500; at++) {
    await outside.call({ system: `s${at}`, namespace: "a", signal, call: ok });
  }
  assert.equal(outside.states().length, 1_000);
});
