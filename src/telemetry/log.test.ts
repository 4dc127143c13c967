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
