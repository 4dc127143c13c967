import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { logger } from "../telemetry/log.ts";
import { troubleOf } from "./trouble.ts";

function shown(fields: Readonly<Record<string, unknown>>): string | undefined {
  let line = "";
  const log = logger((text) => (line = text), manualClock());
  log.warn(fields, "reconciler threw an error");
  return troubleOf(line)?.text;
}

test("an error is told with its stack, and what it is about", () => {
  const key = { kind: "notices.board.example", namespace: "default", name: "hello" };
  const text = shown({ error: new ReferenceError("dome is not defined"), key });
  const [title, error, first] = (text ?? "").split("\n");
  assert.equal(title, "setpoint: reconciler threw an error: notices.board.example default/hello");
  assert.equal(error, "  ReferenceError: dome is not defined");
  assert.match(first ?? "", /^ {6}at /);
});

test("all causes of an error are told", () => {
  const text = shown({ error: new TypeError("fetch failed", { cause: new Error("refused") }) });
  assert.match(text ?? "", /threw an error\n {2}fetch failed\n {2}Error: refused\n/);
});

test("what is about no error is not told", () => {
  assert.equal(shown({ system: "board" }), undefined);
});
