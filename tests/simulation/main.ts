// `npm run simulate -- --seeds N [--from S]`: runs the engine in N simulated worlds. Each seed that
// breaks a promise prints the line that repeats it; the summary comes last, and the exit code is 1
// when anything was broken. With --trace one seed tells all that happened, and with --shrink the
// smallest world that fails as it does; with --planted bugs are put into the engine, one after the
// other, and each must be found within --seeds seeds.

import { availableParallelism } from "node:os";
import { realEngine } from "./engine-under-test.ts";
import { bugs } from "./bugs.ts";
import { planOf } from "./plan.ts";
import { findPlanted } from "./planted.ts";
import { runPlan } from "./run.ts";
import { runSeeds } from "./seeds.ts";
import { shrunk } from "./shrink.ts";
import { optionsIn, usage } from "./options.ts";
import { failureLine, summaryOf, summaryText } from "./summary.ts";
import { Trace } from "./trace.ts";

const given = optionsIn(process.argv.slice(2), availableParallelism());
if (given.kind === "help") {
  console.log(usage);
  process.exit(0);
}
if (given.kind === "mistake") {
  console.error(`simulate: ${given.message}\n\n${usage}`);
  process.exit(2);
}
const { count, from, jobs, ...values } = given;

process.exitCode = await chosen();

async function chosen(): Promise<number> {
  if (values.planted) return await planted();
  return values.trace || values.shrink ? await traced() : await many();
}

async function many(): Promise<number> {
  const startedAt = performance.now();
  const range = { from, count };
  const told = (failure: Parameters<typeof failureLine>[0]): void => {
    console.log(failureLine(failure));
  };
  const summary = await runSeeds(range, Math.min(jobs, range.count), told);
  console.log(summaryText(summary, (performance.now() - startedAt) / 1_000));
  return summary.failures.length > 0 ? 1 : 0;
}

/** One seed, told in full. */
async function traced(): Promise<number> {
  const startedAt = performance.now();
  const whole = planOf(from);
  const plan = values.shrink ? await shrunk(whole, realEngine) : whole;
  console.log(JSON.stringify(plan));
  const trace = new Trace({ isOn: true, print: console.log });
  const summary = summaryOf(await runPlan(plan, realEngine, trace));
  for (const failure of summary.failures) console.log(failureLine(failure));
  console.log(summaryText(summary, (performance.now() - startedAt) / 1_000));
  return summary.failures.length > 0 ? 1 : 0;
}

async function planted(): Promise<number> {
  let missed = 0;
  for (const bug of bugs) {
    const failure = await findPlanted(bug, count);
    const how = failure === undefined ? "NOT FOUND" : `seed ${failure.seed}, ${failure.invariant}`;
    console.log(`${bug.name.padEnd(20)} ${how.padEnd(28)} ${bug.about}`);
    if (failure === undefined) missed += 1;
  }
  console.log(`${bugs.length - missed} of ${bugs.length} planted bugs were found`);
  return missed > 0 ? 1 : 0;
}
