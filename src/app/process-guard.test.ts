// What modules leave behind does not end the server; what is no module's does, and says why.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { asRunOf } from "../engine/run/current-run.ts";
import { manualClock } from "../kernel/clock.ts";
import { logger } from "../telemetry/log.ts";
import { guardProcess } from "./process-guard.ts";

interface Guarded extends Disposable {
  readonly events: EventEmitter;
  readonly lines: readonly string[];
  readonly exits: readonly number[];
  readonly counted: readonly string[];
}

function guarded(): Guarded {
  const events = new EventEmitter();
  const lines: string[] = [];
  const exits: number[] = [];
  const counted: string[] = [];
  const guard = guardProcess({
    log: logger((line) => lines.push(line), manualClock(0)),
    meter: {
      count: (name, labels) => counted.push(`${name} ${labels?.["kind"]} ${labels?.["what"]}`),
      gauge: () => undefined,
      observe: () => undefined,
    },
    events,
    exit: (code) => exits.push(code),
  });
  return { events, lines, exits, counted, [Symbol.dispose]: () => guard[Symbol.dispose]() };
}

const run = {
  key: { kind: "widgets.test", namespace: "team", name: "a" },
  shown: (error: unknown): unknown =>
    error instanceof Error ? new Error(error.message.replaceAll("HUNTER-3", "[hidden]")) : error,
};

test("a promise that nobody waits for is told and counted", () => {
  using given = guarded();
  given.events.emit("unhandledRejection", new Error("floating"));
  asRunOf(run, () => given.events.emit("unhandledRejection", Symbol("odd")));
  assert.deepEqual(given.exits, []);
  assert.match(given.lines[0] ?? "", /"level":"error".*unhandled promise.*floating/);
  assert.match(given.lines[1] ?? "", /"name":"a"/);
  const name = "setpoint_stray_errors_total";
  assert.deepEqual(given.counted, [`${name}  rejection`, `${name} widgets.test rejection`]);
});

test("an exception of a reconciler is told with its resource, and the server goes on", () => {
  using given = guarded();
  asRunOf(run, () => given.events.emit("uncaughtException", new Error("late")));
  assert.deepEqual(given.exits, []);
  assert.match(given.lines[0] ?? "", /"level":"error".*late.*"name":"a"/);
});

test("what is left behind is told without the secrets of its resource", () => {
  using given = guarded();
  for (const event of ["unhandledRejection", "uncaughtException"]) {
    asRunOf(run, () => given.events.emit(event, new Error("no entry with HUNTER-3")));
  }
  assert.equal(given.lines.length, 2);
  for (const line of given.lines) assert.match(line, /no entry with \[hidden\]/);
  assert.ok(!given.lines.join("").includes("HUNTER-3"));
});

test("any other exception ends the process", () => {
  using given = guarded();
  given.events.emit("uncaughtException", new Error("ours"));
  assert.deepEqual(given.exits, [1]);
  assert.match(given.lines[0] ?? "", /server stops.*ours/);
});

test("a guard that was disposed of listens no more", () => {
  const given = guarded();
  given[Symbol.dispose]();
  assert.equal(given.events.listenerCount("uncaughtException"), 0);
  assert.equal(given.events.listenerCount("unhandledRejection"), 0);
});
