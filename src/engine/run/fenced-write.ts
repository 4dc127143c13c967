// Writes of a built-in module in the name of a run, through the write path: for resources that are
// not children, such as those in other namespaces. The write path checks the claim inside the
// commit. User modules have no access to it: what they write belongs to their resource.

import type { Cause } from "../../kernel/cause.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ClaimRef } from "../../store/port.ts";
import type { Context } from "../reconciler.ts";
import { fenced, kept, runOf } from "./context.ts";

/** Pass `claim` as an option of the write and `cause` to `systemCallerFor`. */
export interface RunFence {
  /** The resource that is reconciled. */
  readonly key: ResourceKey;
  readonly claim: ClaimRef;
  /** The engine as the actor, and the trace of the run. */
  readonly cause: Cause;
}

/**
 * Runs a write under the claim of the run. Refused with `claim.lost` when the claim is lost: the
 * run is then aborted. Throws for a context that the engine of this process did not create.
 */
export function fencedWrite<T>(
  context: Context,
  write: (fence: RunFence) => Promise<T>,
): Promise<T> {
  const run = runOf(context);
  if (run === undefined) throw new Error("the context does not belong to a run of this process");
  const fence = { key: run.key, claim: run.fence, cause: run.cause };
  return kept(run, async () => await fenced(run, async () => await write(fence)));
}
