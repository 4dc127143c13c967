// Looks for a planted bug: a simulator that does not find it would not find a real one.

import { plant } from "./plant.ts";
import type { Bug } from "./plant.ts";
import { planOf } from "./plan.ts";
import { runPlan } from "./run.ts";
import { summaryOf } from "./summary.ts";
import type { Failure } from "./summary.ts";

/** How it showed first; undefined when it did not. */
export async function findPlanted(bug: Bug, mostSeeds: number): Promise<Failure | undefined> {
  const startEngine = await plant(bug);
  for (let seed = 1; seed <= mostSeeds; seed += 1) {
    const { failures } = summaryOf(await runPlan(planOf(seed), startEngine));
    if (failures[0] !== undefined) return failures[0];
  }
  return undefined;
}
