import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import { seededRandom } from "../../../kernel/random.ts";
import { Reporter } from "./reporter.ts";

function opened(refuse: () => boolean = () => false) {
  const timers = manualTimers(manualClock());
  const sent: JsonObject[] = [];
  const warnings: string[] = [];
  const quiet = (): void => undefined;
  const warn = (_fields: object, text: string): void => void warnings.push(text);
  const reporter = new Reporter({
    timers,
    random: seededRandom(1),
    log: { debug: quiet, info: quiet, error: quiet, warn },
    send: async (reports) => {
      if (refuse()) throw new Error("down");
      sent.push(reports);
      return { refused: 0, refusals: [] };
    },
  });
  const stop = new AbortController();
  const running = reporter.run(stop.signal);
  return { reporter, timers, sent, warnings, running, stop };
}

test("reports are sent together, and only when they have changed", async () => {
  const { reporter, timers, sent, stop, running } = opened();
  reporter.report("a", { n: 1 });
  reporter.report("b", { n: 1 });
  await timers.advance(100);
  assert.deepEqual(sent, [{ a: { n: 1 }, b: { n: 1 } }]);
  reporter.report("a", { n: 1 });
  await timers.advance(100);
  assert.equal(sent.length, 1);
  reporter.report("a", { n: 2 });
  reporter.report("a", { n: 3 });
  await timers.advance(100);
  assert.deepEqual(sent.slice(1), [{ a: { n: 3 } }]);
  stop.abort();
  await running;
});

test("a large number of reports is sent in several requests", async () => {
  const { reporter, timers, sent, stop, running } = opened();
  for (let at = 0; at < 450; at += 1) reporter.report(`i${at}`, { at });
  reporter.report("large", { text: "x".repeat(100_000) });
  reporter.report("larger", { text: "x".repeat(100_000) });
  await timers.advance(100);
  assert.equal(reporter.waiting, 0);
  assert.deepEqual(
    sent.map((batch) => Object.keys(batch).length),
    [200, 200, 51, 1],
  );
  stop.abort();
  await running;
});

test("what cannot be sent is sent later, in its newest form", async () => {
  let isDown = true;
  const { reporter, timers, sent, warnings, stop, running } = opened(() => isDown);
  reporter.report("a", { n: 1 });
  await timers.advance(5_000);
  assert.ok(warnings.length >= 2 && warnings.every((text) => text === "reports not sent"));
  reporter.report("a", { n: 2 });
  isDown = false;
  await timers.advance(10_000);
  assert.deepEqual(sent, [{ a: { n: 2 } }]);
  stop.abort();
  await running;
});

test("a report about an instance that does not exist any more is not sent", async () => {
  const { reporter, timers, sent, stop, running } = opened();
  reporter.report("a", { n: 1 });
  reporter.forget("a");
  await timers.advance(100);
  assert.deepEqual(sent, []);
  reporter.report("a", { n: 1 });
  await timers.advance(100);
  reporter.forgetTaken();
  reporter.report("a", { n: 1 });
  await timers.advance(100);
  assert.equal(sent.length, 2);
  stop.abort();
  await running;
});
