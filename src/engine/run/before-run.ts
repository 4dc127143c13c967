// The writes before a run: the finalizer of a kind with `remove`, and the start record of a
// resource that was lost with a worker (start-record.ts). Users may pause or delete the resource
// while this is stored, so the run is planned again from the stored document.

import { planOf } from "./earlier-runs.ts";
import { saysThatItBegins, withBegun } from "./start-record.ts";
import { withFinalizer } from "./document-edits.ts";
import { withFirstWord } from "./first-status.ts";
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
