import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { logger } from "./log.ts";

it("a log line is one JSON object with the message constant and the variables as fields", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0));
  log.debug({}, "not shown");
  log.info({ step: "a\nb", attempt: 2 }, "step performed");
  assert.deepEqual(lines.length, 1);
  assert.deepEqual(JSON.parse(lines[0] ?? ""), {
    time: "1970-01-01T00:00:00.000Z",
    level: "info",
    message: "step performed",
    step: "a\nb",
    attempt: 2,
  });
});

it("an error is logged with its whole chain of causes", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0));
  const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
  log.error({ error: new SetpointError("store.unavailable", "no store", { cause }) }, "failed");
  const { error } = JSON.parse(lines[0] ?? "") as { error: { code: string; message: string }[] };
  assert.deepEqual(
    error.map(({ code }) => code),
    ["store.unavailable", "ECONNREFUSED"],
  );
});

it("whatever was thrown can be logged", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0));
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const bad = new Error("x");
  const refuse = (): never => {
    throw new Error("no");
  };
  const given: readonly unknown[] = [
    revoked.proxy,
    cyclic,
    Symbol("x"),
    10n,
    undefined,
    Object.assign(new Error("x"), { name: Symbol("q"), message: Symbol("m"), code: 10n }),
    ...["message", "cause", "stack", "code"].map((name) =>
      Object.defineProperty(new Error("x"), name, { get: refuse }),
    ),
    Object.assign(bad, { cause: bad }),
  ];
  for (const error of given) log.error({ error }, "failed");
  assert.equal(lines.length, given.length);
  for (const line of lines) assert.equal((JSON.parse(line) as { level: string }).level, "error");
});

it("a line does not grow with what somebody sent", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0));
  const huge = "x".repeat(5_000_000);
  log.error({ error: new Error(huge), huge, parts: [huge] }, "failed");
  assert.ok((lines[0] ?? "").length < 100_000);
});
