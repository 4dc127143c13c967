// A kind with `remove` is held by the finalizer before anything is done for it. While that is being
// stored people may write as well: pause it, delete it, say that it is not to be touched. So what
// was planned is planned once more on what the finalizer was stored with. And the store may take
// its time, so that the run is over before it has begun.

import type { Resource } from "../../kernel/resource.ts";
import { withFinalizer } from "./paperwork.ts";
import { planFor } from "./plan.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./run.ts";

/** Stores the finalizer where it is needed. False: what was planned is not to be done any more. */
export async function holdFirst(run: Run): Promise<boolean> {
  const { plan: planned, reconciler, claim } = run;
  if (planned?.addsFinalizer !== true) return true;
  const planOf = (resource: Resource): Plan => planFor(resource, reconciler, claim.attempts);
  await run.update((resource) => {
    const plan = planOf(resource);
    return plan.kind === "run" && plan.addsFinalizer ? withFinalizer(resource) : resource;
  });
  if (run.abortCause !== undefined) return false;
  const plan = planOf(run.current());
  return plan.kind === "run" && plan.what === planned.what && !plan.addsFinalizer;
}
