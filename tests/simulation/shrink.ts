// Makes a failing plan smaller while it breaks the same promise: fewer kinds of faults, fewer
// processes, fewer things that people do. What is left is what the failure needs, and its trace can
// be read.

import type { StartEngine } from "./fleet.ts";
import type { Plan } from "./plan.ts";
import { runPlan } from "./run.ts";
import type { Invariant } from "./violation.ts";
import { faultKinds } from "./weather.ts";

/** The plan as it is when it does not fail. */
export async function shrunk(plan: Plan, startEngine: StartEngine): Promise<Plan> {
  const invariant = await brokenBy(plan, startEngine);
  if (invariant === undefined) return plan;
  let smallest = plan;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      if ((await brokenBy(candidate, startEngine)) !== invariant) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

async function brokenBy(plan: Plan, startEngine: StartEngine): Promise<Invariant | undefined> {
  return (await runPlan(plan, startEngine)).violation?.invariant;
}

/** The boldest first. */
function* smallerThan(plan: Plan): Iterable<Plan> {
  const { rates, poisons, actions, processes, meddling } = plan;
  for (const kind of faultKinds) {
    if (rates[kind] > 0) yield { ...plan, rates: { ...rates, [kind]: 0 } };
  }
  if (poisons.length > 0) yield { ...plan, poisons: [] };
  if (meddling > 0) yield { ...plan, meddling: 0 };
  for (let size = Math.ceil(actions.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < actions.length; start += size) {
      yield { ...plan, actions: actions.toSpliced(start, size) };
    }
  }
  if (processes > 1) yield { ...plan, processes: processes - 1 };
}
