// The engine in thousands of simulated worlds; `npm run simulate` runs as many more as one likes.
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { bugs } from "./bugs.ts";
import { realEngine } from "./engine-under-test.ts";
import { mobPlan, planOf } from "./plan.ts";
import { plant } from "./plant.ts";
import { findPlanted } from "./planted.ts";
import { runPlan } from "./run.ts";
import { runSeeds } from "./seeds.ts";
import { failureLine, summaryText } from "./summary.ts";
import { Trace } from "./trace.ts";

/** A slow machine gets through fewer of them, always the same ones first. */
const range = { from: 1, count: 3_000, budgetMs: 40_000, fewest: 300 };

test("the engine keeps its promises in thousands of worlds", async (t) => {
  const startedAt = performance.now();
  const summary = await runSeeds(range, availableParallelism(), () => undefined);
  const seconds = (performance.now() - startedAt) / 1_000;
  t.diagnostic(summaryText(summary, seconds).replaceAll("\n", "; "));
  assert.deepEqual(summary.failures.map(failureLine), []);
});

test("thousands of hanging resources of one tenant do not delay the first of another", async () => {
  const { violation } = await runPlan(mobPlan(1, { size: 2_000, mood: "hangs" }), realEngine);
  assert.equal(violation, undefined);
});

test("a seed is repeated to the last detail", async () => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const [first, second] = [new Trace({ isOn: true }), new Trace({ isOn: true })];
    await runPlan(planOf(seed), realEngine, first);
    await runPlan(planOf(seed), realEngine, second);
    assert.equal(first.digest(), second.digest(), `seed ${seed}`);
  }
});

/** `npm run simulate -- --planted` looks for the rare ones as well. */
const oftenFoundWithin = 100;

test("bugs that are planted into the engine are found", async () => {
  for (const bug of bugs) {
    if (bug.isRare === true) {
      await plant(bug);
      continue;
    }
    const failure = await findPlanted(bug, oftenFoundWithin);
    assert.notEqual(failure, undefined, `${bug.name}: ${bug.about}`);
  }
});
