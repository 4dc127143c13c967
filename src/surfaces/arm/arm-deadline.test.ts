import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { answerWithinMs, withinDeadline } from "./arm-deadline.ts";
import { armErrorAnswer } from "./arm-error.ts";

function nothing(): void {}

test("a minute is not over before the answer", () => {
  assert.ok(answerWithinMs < 60_000);
});

test("what is answered in time is answered, and leaves no timer behind", async () => {
  const timers = manualTimers(manualClock());
  assert.equal(await withinDeadline(timers, Promise.resolve("done"), nothing), "done");
  const failing = withinDeadline(timers, Promise.reject(new Error("no")), nothing);
  await assert.rejects(failing, /^Error: no$/);
  assert.equal(timers.pendingCount(), 0);
});

test("what takes longer is told so, in the envelope of the protocol", async () => {
  const timers = manualTimers(manualClock());
  const { promise } = Promise.withResolvers<never>();
  const late = withinDeadline(timers, promise, nothing).catch((error: unknown) => error);
  await timers.advance(answerWithinMs);
  const { status, body } = armErrorAnswer(await late);
  assert.equal(status, 504);
  assert.match(JSON.stringify(body), /"code":"GatewayTimeout","message":"The request was not/);
});

test("what fails after the time is over is told to somebody else", async () => {
  const timers = manualTimers(manualClock());
  const { promise, reject } = Promise.withResolvers<never>();
  const told: unknown[] = [];
  const late = withinDeadline(timers, promise, (error) => told.push(error));
  const refused = assert.rejects(late, /not answered within 55 seconds/);
  await timers.advance(answerWithinMs);
  await refused;
  const error = new Error("too late");
  reject(error);
  await timers.advance(0);
  assert.deepEqual(told, [error]);
});
