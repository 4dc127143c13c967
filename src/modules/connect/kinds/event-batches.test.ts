// Events that come faster, or more at once, than they can be told apart.
import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import type { Json } from "../../../kernel/json.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import { eventBatches } from "./event-batches.ts";

it("takes lists of any length, and too long ones for a word about everything", async () => {
  const timers = manualTimers(manualClock());
  const named: (readonly Json[])[] = [];
  let all = 0;
  await using batches = eventBatches({
    timers,
    wakeNamed: (events) => Promise.resolve(named.push(events)),
    wakeAll: () => Promise.resolve((all += 1)),
    onError: (error) => assert.fail(String(error)),
  });
  const list = (length: number): string => `[${Array.from({ length }, () => "0").join()}]`;
  batches.add(list(600));
  batches.add("1");
  await timers.advance(100);
  assert.deepEqual(
    named.map(({ length }) => length),
    [601],
  );
  assert.equal(all, 0);
  for (const length of [1_001, 500_000]) {
    batches.add("2");
    batches.add(list(length));
    await timers.advance(100);
  }
  assert.equal(named.length, 1);
  assert.equal(all, 2);
});
