// What is stored before a reconciler runs: a kind with `remove` is held by the finalizer before
// anything is done for it, and what was lost with a worker says that it begins (begun.ts). While
// that is being stored people may write as well: pause it, delete it, say that it is not to be
// touched. So what was planned is planned once more on what it was stored with.

import { planOf } from "./anew.ts";
import { saysThatItBegins, withBegun } from "./begun.ts";
import { withFinalizer } from "./document-edits.ts";
import { withFirstWord } from "./first-word.ts";
import type { Run } from "./run.ts";

/** Nearly always false: then there is nothing to wait for. */
export function hasToHold(run: Run): boolean {
  return run.plan?.addsFinalizer === true || saysThatItBegins(run, run.current());
}

/** False: what was planned is not to be done any more. Throws when it was told to stop. */
export async function holdFirst(run: Run): Promise<boolean> {
  const { plan: planned, claim } = run;
  const { clock } = run.around.ports;
  await run.update((resource) => {
    const plan = planOf(run, resource);
    if (plan.kind !== "run") return resource;
    const told = withFirstWord(resource, clock.nowMs());
    const held = plan.addsFinalizer ? withFinalizer(told) : told;
    return saysThatItBegins(run, resource) ? withBegun(held, claim.attempts) : held;
  });
  if (run.abortCause !== undefined) run.signal.throwIfAborted();
  const plan = planOf(run, run.current());
  return plan.kind === "run" && plan.what === planned?.what && !plan.addsFinalizer;
}
