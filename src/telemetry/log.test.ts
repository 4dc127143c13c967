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

it("a log for people has key=value, and the stack of an error on lines of its own", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0), "info", "text");
  const key = { kind: "notices.board.example", namespace: "default", name: "hello" };
  log.info({ key, text: "two words", empty: undefined, count: 2 }, "said");
  const error = new TypeError("dome is not a function");
  error.stack =
    "TypeError: dome is not a function\n    at reconcile (notice.ts?setpoint-reload=30:41:10)";
  log.warn({ error, key }, "reconciler threw an error");
  const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED", stack: "x" });
  const failed = new SetpointError("store.unavailable", "no store", {
    cause,
    details: { path: "/a" },
  });
  log.error({ error: failed }, "failed");
  assert.equal(
    lines.join(""),
    [
      '00:00:00.000 INFO  said key=notices.board.example/default/hello text="two words" count=2',
      "00:00:00.000 WARN  reconciler threw an error key=notices.board.example/default/hello",
      "    TypeError: dome is not a function",
      "        at reconcile (notice.ts:41:10)",
      "00:00:00.000 ERROR failed",
      '    no store [store.unavailable] {"path":"/a"}',
      "    because: connect refused [ECONNREFUSED]",
      "",
    ].join("\n"),
  );
});

it("a log for people does nothing to their terminal, whatever is in it", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0), "info", "text");
  const evil = "a\u001b[2Jb\r\nc\u202ed";
  const error = Object.assign(new Error(evil), { code: evil });
  const given = [error, evil, { [evil]: evil }, [evil], [], Symbol(evil), 1n, undefined, null];
  for (const value of given) log.warn({ value }, evil);
  const [first = ""] = lines;
  assert.equal(first.split("\n").length - 2, String(error.stack).split("\n").length);
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u0009\u000b-\u001f\u202e]/);
});

it("a line has a bounded length, whatever an error quotes", () => {
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), manualClock(0));
  const long = "x".repeat(1_000_000);
  const details = { causes: Array.from({ length: 100 }, () => ({ message: "y".repeat(10_000) })) };
  let error: Error = new Error(long);
  for (let depth = 0; depth < 20; depth++) {
    error = new SetpointError("request.invalid", long, { details, cause: error });
  }
  log.error({ error, path: long, list: [long] }, "failed");
  assert.ok((lines[0] ?? "").length < 50_000, String(lines[0]?.length));
});
