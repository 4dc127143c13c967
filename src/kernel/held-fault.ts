// Why the store refused a name, a bound or a use of a counter: the details of the error.

import type { SetpointError } from "./errors.ts";
import type { ResourceKey } from "./resource.ts";

/**
 * The details of `name.taken` (the first two: a name, a bound) and of `counter.exceeded`. The
 * holder is null if another write of the group takes it. `value` includes the refused write.
 */
export type HeldFault =
  | { readonly scope: string; readonly name: string; readonly holder: ResourceKey | null }
  | { readonly counter: string; readonly holder: ResourceKey | null }
  | { readonly counter: string; readonly value: number; readonly max: number };

/** Undefined when the error is about something else. */
export function heldFaultIn({ code, details }: SetpointError): HeldFault | undefined {
  if (code !== "name.taken" && code !== "counter.exceeded") return undefined;
  const isComplete = "holder" in details || "value" in details;
  return isComplete ? (details as unknown as HeldFault) : undefined;
}
